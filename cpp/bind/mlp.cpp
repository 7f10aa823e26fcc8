// Python bindings of the perceptron.

#include "eval/mlp.h"

#include <nanobind/stl/vector.h>

#include "bind/arrays.h"
#include "bind/parts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rulezero {
namespace {

using Features = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

FloatArray evaluate_all(const Mlp& net, const Features& features) {
  const std::size_t rows = features.shape(0);
  const std::size_t inputs = net.inputs();
  const std::size_t outputs = net.outputs();
  if (features.shape(1) != inputs) {
    throw NetError("the net takes rows of " + std::to_string(inputs) + " features, not of " +
                   std::to_string(features.shape(1)));
  }
  FloatArray answers = zeros({rows, outputs});
  const float* from = features.data();
  float* to = answers.data();
  {
    const nb::gil_scoped_release released;
    for (std::size_t row = 0; row < rows; ++row) {
      net.evaluate({from + row * inputs, inputs}, {to + row * outputs, outputs});
    }
  }
  return answers;
}

}  // namespace

void bind_mlp(nb::module_& m) {
  nb::class_<Mlp>(m, "Mlp", "A multi-layer perceptron that is computed inside the core.")
      .def_static(
          "read",
          [](const nb::bytes& file) {
            return Mlp::read({static_cast<const std::byte*>(file.data()), file.size()});
          },
          "file"_a, "The net in the bytes of a .nn file. NetError for any other bytes.")
      .def(
          "write",
          [](const Mlp& net) {
            const std::vector<std::byte> file = net.write();
            return nb::bytes(file.data(), file.size());
          },
          "The bytes of its .nn file.")
      .def_prop_ro(
          "sizes", [](const Mlp& net) { return nb::tuple(nb::cast(net.sizes())); },
          nb::sig("def sizes(self) -> tuple[int, ...]"), "Neurons of each layer, inputs first.")
      .def("evaluate", &evaluate_all, "features"_a,
           nb::sig("def evaluate(self, features: numpy.typing.NDArray[numpy.float32]) -> "
                   "numpy.typing.NDArray[numpy.float32]"),
           "Outputs in [0, 1], float32 [batch, outputs], for features [batch, inputs].");
}

}  // namespace rulezero
