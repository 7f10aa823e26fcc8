"""Where torch computes, and in how many threads."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from rulezero._core import NetError
from rulezero.machine import cores


def device_of(choice: str, key: str, gpus: tuple[str, ...] = ("cuda",)) -> torch.device:
    """The device of a setting: auto is the first of these GPUs that is here, or else the CPU.

    NetError, naming the key, if the GPU asked for is not here.
    """
    is_here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not is_here.get(choice, True):
        what = "NVIDIA GPU (CUDA)" if choice == "cuda" else "Apple GPU (MPS)"
        raise NetError(f"{key}={choice}, but torch finds no {what} here: leave it at auto")
    if choice == "auto":
        choice = next((gpu for gpu in gpus if is_here[gpu]), "cpu")
    return torch.device(choice)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Torch computes in this many threads (0: one per core), and then in as many as before.

    Sums are rounded differently in other numbers of threads, so a result must not depend on what
    else has set them in this process.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count or cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)
