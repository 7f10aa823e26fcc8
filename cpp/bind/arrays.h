#pragma once
// Arrays that the core makes and Python owns.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>

namespace rulezero {

using FloatArray = nanobind::ndarray<nanobind::numpy, float, nanobind::c_contig>;

// A zeroed float32 array.
inline FloatArray zeros(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (std::size_t length : shape) size *= length;
  auto* data = new float[size]();
  nanobind::capsule owner(data,
                          [](void* memory) noexcept { delete[] static_cast<float*>(memory); });
  return FloatArray(data, shape, owner);
}

}  // namespace rulezero
