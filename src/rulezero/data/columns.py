"""Packs columns of numbers into bytes, the parts of a record.

A packed column is one byte, the width of its numbers (1 to 4), then that many byte planes: the
lowest bytes of all numbers, then the next. It has the smallest width that fits, so that a column
has one form only; a column of zeros is empty. Byte planes put similar bytes side by side, which
zstandard compresses better.
"""

import math
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from rulezero._core import RulezeroError

Numbers = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float32]

MISSING = -32768  # in a fixed-point column: unknown
_WIDEST = 4
_SLACK = 1e-4  # a value may exceed its range by this much


class RecordError(RulezeroError):
    """Raised for an invalid or damaged record, or file of records."""


def pack_numbers(numbers: npt.ArrayLike) -> bytes:
    """The packed column of whole numbers below 2**32."""
    words = np.ascontiguousarray(numbers, dtype="<u4")
    if words.ndim != 1:
        raise RecordError(f"a column has one dimension, not {words.ndim}")
    largest = int(words.max(initial=0))
    if largest == 0:
        return b""
    width = (largest.bit_length() + 7) // 8
    planes = words.view(np.uint8).reshape(-1, _WIDEST)[:, :width].T
    return bytes([width]) + planes.tobytes()


def unpack_numbers(packed: bytes, length: int, name: str) -> Numbers:
    """The numbers of a packed column of this length. RecordError names the column."""
    if not packed:
        return np.zeros(length, dtype=np.uint32)
    width = packed[0]
    if not 1 <= width <= _WIDEST:
        raise RecordError(f"the column {name} has numbers of {width} bytes, not of 1 to 4")
    if len(packed) != 1 + width * length:
        raise RecordError(
            f"the column {name} has {len(packed) - 1} bytes; {length} numbers of {width} bytes"
            f" have {width * length}"
        )
    words = np.zeros((length, _WIDEST), dtype=np.uint8)
    words[:, :width] = np.frombuffer(packed, np.uint8, offset=1).reshape(width, length).T
    if not words[:, width - 1].any():
        raise RecordError(f"the column {name} is wider than its numbers")
    return words.view("<u4").reshape(length).astype(np.uint32, copy=False)


def length_of(packed: bytes) -> int:
    """The number of numbers in a packed column; 0 if it is empty."""
    return (len(packed) - 1) // packed[0] if packed and packed[0] else 0


def pack_fixed(values: npt.ArrayLike, scale: float) -> bytes:
    """The packed column of value x scale as int16, rounded and clipped; NaN is missing."""
    given = np.asarray(values, dtype=np.float64)
    missing = np.isnan(given)
    if missing.all():  # a frequent case, and faster than packing
        return b""
    fixed = np.rint(np.clip(np.where(missing, 0, given) * scale, -32767, 32767))
    words = np.where(missing, MISSING, fixed).astype("<i2").view("<u2")
    return pack_numbers(words ^ 0x8000)  # MISSING becomes 0: a column without values is empty


def unpack_fixed(packed: bytes, scale: float, length: int, name: str) -> Floats:
    """The values of a fixed-point column, NaN where missing."""
    words = unpack_numbers(packed, length, name)
    if words.max(initial=0) > 0xFFFF:
        raise RecordError(f"the column {name} has numbers beyond 16 bits")
    fixed = words.astype(np.int32) - 0x8000
    values = (fixed / scale).astype(np.float32)
    values[fixed == MISSING] = np.nan
    return values


def whole_numbers(
    given: npt.ArrayLike, name: str, length: int | None, limit: int
) -> npt.NDArray[np.int64]:
    """The numbers as int64; RecordError unless they are whole, in range and of this length."""
    array = np.asarray(given)
    if array.size == 0:
        array = array.reshape(-1).astype(np.int64)
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "one dimension" if length is None else f"the shape ({length},)"
        raise RecordError(f"{name} has the shape {array.shape}; it needs {wanted}")
    if array.dtype.kind not in "iu" and not (array == np.rint(array)).all():
        raise RecordError(f"{name} must hold whole numbers")
    if array.size and not (array.min() >= 0 and array.max() < limit):
        raise RecordError(f"{name} must hold numbers from 0 to {limit - 1}")
    return array.astype(np.int64)


class PlyColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A number kept for every ply: a whole number, 0 if unknown; or, with `scale`, a fraction,
    NaN if unknown."""

    name: str
    scale: int | None = None  # fractions are kept as value x scale, in 16 bits
    low: float = 0.0
    high: float = math.inf  # whole numbers are below 2**32

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.scale is None

    @property
    def missing(self) -> float:
        """The number that stands for unknown."""
        return 0 if self.scale is None else math.nan

    def are_known(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each number is known, [plies]."""
        known: npt.NDArray[np.bool_] = numbers > 0 if self.is_whole else np.isfinite(numbers)
        return known

    def plain(self, number: Any) -> float | None:
        """A number of the column, or of the core's thought, in Python's own type; None for NaN."""
        if self.is_whole:
            return int(number)
        return None if math.isnan(number) else float(number)

    def pack(self, given: npt.ArrayLike | None, plies: int) -> bytes:
        """The packed column of numbers; RecordError if a known one is out of range."""
        if given is None:
            return b""
        if self.scale is None:
            return pack_numbers(whole_numbers(given, self.name, plies, 1 << 32))
        values = np.asarray(given, np.float64).reshape(-1)
        if len(values) != plies:
            raise RecordError(f"{self.name} has {len(values)} numbers for {plies} plies")
        wrong = np.isinf(values) | (values < self.low - _SLACK) | (values > self.high + _SLACK)
        if wrong.any():
            ply = int(np.flatnonzero(wrong)[0])
            raise RecordError(
                f"{self.name} at ply {ply} is {values[ply]:g}; it must be in"
                f" [{self.low:g}, {self.high:g}]"
            )
        return pack_fixed(np.clip(values, self.low, self.high), self.scale)

    def unpack(self, packed: bytes, plies: int) -> npt.NDArray[Any]:
        """The numbers of a packed column: uint32 if they are whole, else float32."""
        if self.scale is None:
            return unpack_numbers(packed, plies, self.name)
        return unpack_fixed(packed, self.scale, plies, self.name)
