"""The device on which torch computes, and the number of its threads."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from rulezero._core import NetError
from rulezero.machine import cores


def device_of(
    choice: str, key: str, gpus: tuple[str, ...] = ("cuda",), *, number: int = 0
) -> torch.device:
    """The device of a setting; auto: the first of these GPUs that exists, or else the CPU.

    `number` is that of the NVIDIA GPU. NetError, with the setting's key, if there is no such GPU.
    """
    is_here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not is_here.get(choice, True):
        what = "NVIDIA GPU (CUDA)" if choice == "cuda" else "Apple GPU (MPS)"
        raise NetError(f"{key}={choice}, but torch finds no {what} here: use auto")
    if choice == "auto":
        choice = next((gpu for gpu in gpus if is_here[gpu]), "cpu")
    if choice != "cuda" or number == 0:
        return torch.device(choice)
    if number >= (count := torch.cuda.device_count()):
        raise NetError(
            f"{key}: {number + 1} processes need as many GPUs, but torch finds {count} here: use"
            f" fewer processes, or {key}=cpu"
        )
    return torch.device(choice, number)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Lets torch use this many threads (0: one per core), then restores the former number.

    The rounding of sums depends on the number of threads, so a result must not depend on a number
    that other code of this process has set.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count or cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)
