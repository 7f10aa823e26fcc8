"""Evaluators: the guarantees that the search relies on."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

import rulezero as rz
from rulezero.nets.checkpoint import save
from rulezero.nets.heads import WdlHead
from rulezero.nets.tower import create
from rulezero.play import evaluators as evaluators_room
from rulezero.play.evaluators import Evaluator, Options, backends, open_net, read_options
from rulezero.play.evaluators.onnx import OnnxEvaluator
from rulezero.play.evaluators.torch import TorchEvaluator
from support import little_nets, samples
from support.evaluators import RandomEvaluator, UniformEvaluator


def evaluators(text: str) -> dict[str, Evaluator]:
    """One evaluator of each kind whose outputs are bit-reproducible."""
    slots = samples.game(text).facts.slots
    return {
        "onnx": OnnxEvaluator(little_nets.net(text)),
        "int8": OnnxEvaluator(little_nets.net(text), "int8", samples.game(text)),
        "torch": TorchEvaluator(little_nets.net(text), "cpu"),
        "torch in threes": TorchEvaluator(little_nets.net(text), "cpu", batch=3),
        "torch in bf16": TorchEvaluator(little_nets.net(text), "cpu", "bf16"),
        "random": RandomEvaluator(slots, seed=3),
        "uniform": UniformEvaluator(slots),
    }


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_answers_have_their_shapes_and_ranges(text: str) -> None:
    """Policy [B, slots], value in [-1, 1], draw in [0, 1 - |value|], all float32."""
    planes = little_nets.batch(text, 20)
    for kind, evaluator in evaluators(text).items():
        policy, value, draw = evaluator.evaluate(planes)
        assert policy.shape == (20, samples.game(text).facts.slots), kind
        assert value.shape == draw.shape == (20,), kind
        assert {policy.dtype, value.dtype, draw.dtype} == {np.dtype(np.float32)}, kind
        assert all(array.flags.c_contiguous for array in (policy, value, draw)), kind
        assert np.isfinite(policy).all()
        assert (draw >= 0).all()
        assert (np.abs(value) + draw <= 1 + 1e-6).all(), kind
        empty = evaluator.evaluate(planes[:0])
        assert (empty.policy.shape, empty.value.shape) == ((0, policy.shape[1]), (0,)), kind


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_answers_do_not_depend_on_the_batch(text: str) -> None:
    """Outputs are bit-identical in batches of 1, 2, 3, 7 and 64, at the start or the end."""
    planes = little_nets.batch(text, 64)
    for kind, evaluator in evaluators(text).items():
        whole = evaluator.evaluate(planes)
        for size in (1, 2, 3, 7, 20):
            for first in (0, 5, 64 - size):
                part = evaluator.evaluate(planes[first : first + size])
                for one, other in zip(part, whole, strict=True):
                    same = one.tobytes() == other[first : first + size].tobytes()
                    assert same, (kind, size, first)


@pytest.mark.parametrize("text", little_nets.GAMES)
def test_onnx_agrees_with_torch(text: str) -> None:
    """ONNX Runtime and torch agree within 1e-5 on the CPU, with every game's head."""
    planes = little_nets.batch(text, 64)
    ours = OnnxEvaluator(little_nets.net(text)).evaluate(planes)
    reference = TorchEvaluator(little_nets.net(text), "cpu").evaluate(planes)
    for one, other in zip(ours, reference, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert ours.policy.std(0).max() > 1e-2  # outputs differ between positions, as they must here


def test_chances_become_value_and_draw(tmp_path: Path) -> None:
    """Constant probabilities of 60 % win, 30 % draw and 10 % loss give value 0.5 and draw 0.3."""
    tower = create(samples.game("connect4"), little_nets.TINY)
    head = tower.value
    assert isinstance(head, WdlHead)
    with torch.no_grad():
        head.wdl.weight.zero_()
        head.wdl.bias.copy_(torch.tensor([0.6, 0.3, 0.1]).log())
    path = save(tmp_path / "constant", tower, samples.game("connect4"))
    for evaluator in (OnnxEvaluator(path), TorchEvaluator(path)):
        answers = evaluator.evaluate(little_nets.batch("connect4", 3))
        np.testing.assert_allclose(answers.value, 0.5, atol=1e-6)
        np.testing.assert_allclose(answers.draw, 0.3, atol=1e-6)


def test_identities_tell_nets_apart() -> None:
    """An identity names the net, the precision and the backend, but no folder."""
    net = little_nets.net("connect4")
    identities = [
        OnnxEvaluator(net).identity,
        OnnxEvaluator(net, "int8").identity,
        TorchEvaluator(net, "cpu").identity,
    ]
    kinds = [identity.partition("#")[0] for identity in identities]
    assert kinds == [net.name, f"{net.name}.int8", f"{net.name}.torch.cpu"]
    other = TorchEvaluator(net, "cpu", "bf16", batch=7).identity
    assert other.partition("#")[0] == f"{net.name}.torch.cpu.bf16.b7"
    assert not any("/" in identity for identity in identities)


def test_wrong_planes_are_one_clear_line() -> None:
    """Planes of another shape or type raise NetError."""
    net = little_nets.net("connect4")
    for evaluator in (OnnxEvaluator(net), TorchEvaluator(net, "cpu")):
        for planes in (little_nets.batch("razzle", 2), np.zeros((2, 3, 6, 7)), np.zeros(3)):
            with pytest.raises(rz.NetError, match=r"takes float32 planes \[batch, 3, 6, 7\], not"):
                evaluator.evaluate(planes)  # type: ignore[arg-type]


def test_random_answers_are_settled() -> None:
    """Random outputs depend only on planes and seed, and are the same on every machine."""
    planes = little_nets.batch("connect4", 8)
    one, other = RandomEvaluator(7, seed=1), RandomEvaluator(7, seed=2)
    assert (one.evaluate(planes).policy == one.evaluate(planes.copy()).policy).all()
    assert (one.evaluate(planes).policy != other.evaluate(planes).policy).all()
    assert one.identity != other.identity
    key = (1).to_bytes(8, "little")
    word = hashlib.blake2b(planes[0].tobytes(), digest_size=8, key=key).digest()
    policy = [4 * uniform(int.from_bytes(word, "little"), 3 + slot) - 2 for slot in range(7)]
    np.testing.assert_allclose(one.evaluate(planes).policy[0], policy, atol=1e-6)


def uniform(word: int, index: int) -> float:
    """The random number of SplitMix64 in (0, 1), computed with Python integers."""
    x = (word + index * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return (((x ^ (x >> 31)) >> 40) + 0.5) / 2**24


def test_torch_computes_in_one_thread() -> None:
    """Torch uses one thread per worker, and its number of threads is restored afterwards."""
    evaluator = TorchEvaluator(little_nets.net("connect4"), "cpu")
    before, seen = torch.get_num_threads(), []
    evaluator._tower.register_forward_hook(lambda *_: seen.append(torch.get_num_threads()))
    try:
        torch.set_num_threads(2)
        evaluator.evaluate(little_nets.batch("connect4", 2))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert seen == [1]


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_half_precision_is_near(precision: str) -> None:
    """Half precision gives float32 outputs within 0.05; the identity names the precision."""
    planes = little_nets.batch("connect4", 16)
    exact = TorchEvaluator(little_nets.net("connect4"), "cpu").evaluate(planes)
    half = TorchEvaluator(little_nets.net("connect4"), "cpu", precision)
    assert f".torch.cpu.{precision}#" in half.identity
    for one, other in zip(half.evaluate(planes), exact, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, atol=0.05)


def test_a_player_may_compute_in_half_precision() -> None:
    """bf16 is for CPUs, too: a player's text gives the evaluator of that precision."""
    net, game = little_nets.net("razzle"), samples.game("razzle")
    keys = "backend=torch,device=cpu,precision=bf16"
    result = rz.match(game, a=f"policy:net={net},{keys}", b="random", games=2)
    wanted = TorchEvaluator(net, "cpu", "bf16").identity
    assert {name for record in result.records for name in record.nets if name} == {wanted}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, when it compiles
def test_a_compiled_net_is_near() -> None:
    """compile=true gives nearly the same outputs; they do not depend on the batch either."""
    net, planes = little_nets.net("connect4"), little_nets.batch("connect4", 16)
    options = read_options({"backend": "torch", "device": "cpu", "compile": "true", "batch": "4"})
    compiled = open_net(net, options)
    assert ".torch.cpu.compiled.b4#" in compiled.identity
    whole, exact = compiled.evaluate(planes), TorchEvaluator(net, "cpu").evaluate(planes)
    for part, other in zip(whole, exact, strict=True):
        np.testing.assert_allclose(part, other, atol=1e-4)
    few = compiled.evaluate(planes[5:6])
    assert all((one == all_[5:6]).all() for one, all_ in zip(few, whole, strict=True))


def test_threads_may_share_a_net_of_torch() -> None:
    """Threads that call one evaluator at the same time get the outputs for their own planes."""
    evaluator = TorchEvaluator(little_nets.net("connect4"), "cpu")
    planes = little_nets.batch("connect4", 64)
    wanted = evaluator.evaluate(planes).policy
    with ThreadPoolExecutor(4) as pool:
        turns = [at % 64 for at in range(300)]
        found = pool.map(lambda at: evaluator.evaluate(planes[at : at + 1]).policy, turns)
        assert all((one == wanted[at]).all() for at, one in zip(turns, found, strict=True))


def test_a_backend_is_a_file_that_registers_itself() -> None:
    """Every file of the folder is a backend of its name, and all backends agree."""
    files = {file.stem for file in Path(evaluators_room.__file__).parent.glob("*.py")}
    assert backends().keys() == files - {"__init__"}
    planes = little_nets.batch("razzle", 8)
    answers = [
        open_net(little_nets.net("razzle"), Options(backend=name)).evaluate(planes)
        for name in backends()
    ]
    for one in answers[1:]:
        for part, other in zip(one, answers[0], strict=True):
            np.testing.assert_allclose(part, other, atol=1e-5)


def test_a_player_names_its_backend() -> None:
    """All backends give the same games; records name the net, and a backend that is not onnx."""
    net = little_nets.net("connect4")
    played = {}
    for keys in ("", ",backend=torch", ",backend=torch,device=cpu,precision=auto"):
        result = rz.match("connect4", a=f"puct:net={net},sims=20{keys}", b="random", games=2)
        played[keys] = [record.actions for record in result.records]
        (identity,) = {name for record in result.records for name in record.nets if name}
        assert identity.partition("#")[0] == net.name + (".torch.cpu" if keys else "")
    assert len({str(each) for each in played.values()}) == 1
    thought = rz.player(f"puct:net={net},sims=8,backend=torch").think(rz.load("connect4").start())
    assert thought.action in range(7)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("backend=torche", "there is no backend=torche (did you mean 'torch'?); known: onnx,"),
        ("precision=fp16", "there is no precision=fp16 with backend=onnx, which has fp32, int8,"),
        ("precision=fp16", "backend=torch has it"),
        ("backend=torch,precision=int8", "backend=torch, which has fp32, fp16, bf16, auto"),
        ("device=mps", "no device=mps with backend=onnx, which has cpu, cuda; backend=torch has"),
        ("backend=torch,device=gpu", "no device=gpu with backend=torch, which has auto, cpu, cuda"),
        ("batch=8", "backend=onnx has no key batch: leave batch=8 out, or add backend=torch"),
        ("compile=true", "no key compile: leave compile=true out, or add backend=torch"),
        ("backend=torch,batch=0", "batch=0: give a whole number from 1 to 4096"),
        ("backend=torch,batch=many", "batch=many: give a whole number from 1 to 4096"),
        ("backend=torch,compile=yes", "compile=yes: give true or false"),
    ],
)
def test_keys_that_do_not_go_together_are_one_line(keys: str, message: str) -> None:
    """The error is raised when the player's text is read, before the net is looked up."""
    with pytest.raises(rz.PlayerError) as caught:
        rz.player(f"puct:net=nowhere,{keys}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("backend=torch,device=cuda", "device=cuda, but torch finds no NVIDIA GPU (CUDA) here"),
        ("backend=torch,device=mps", "device=mps, but torch finds no Apple GPU (MPS) here"),
        ("backend=torch,device=cpu,precision=fp16", "precision=fp16 is for GPUs, but this net"),
        ("device=cuda", "this onnxruntime has no CUDAExecutionProvider: pip install"),
        ("device=cuda,precision=int8", "precision=int8 is for the CPU: leave it or device=cuda"),
    ],
)
def test_what_this_machine_has_not_is_one_line(keys: str, message: str) -> None:
    """A missing device is an error only when the net is opened, maybe on another machine."""
    net = little_nets.net("connect4")
    player = rz.player(f"puct:net={net},{keys}")
    with pytest.raises(rz.NetError) as caught:
        player.think(rz.load("connect4").start())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
