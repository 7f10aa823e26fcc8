"""Custom torch modules as nets: saved ones play like the module, and unsuitable ones raise."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import rulezero as rz
from rulezero.nets.config import NetConfig
from rulezero.nets.tower import create
from support import little_nets, samples


class MyNet(nn.Module):
    """A small net with dropout and BatchNorm, whose outputs have the given form."""

    def __init__(self, game: str = "connect4", form: str = "wdl") -> None:
        super().__init__()
        facts = samples.game(game).facts
        channels, rows, columns = facts.planes
        self.form = form
        self.body = nn.Sequential(
            nn.Conv2d(channels, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Dropout(0.5),
            nn.Flatten(),
        )
        self.policy = nn.Linear(8 * rows * columns, facts.slots)
        self.value = nn.Linear(8 * rows * columns, 3)

    def forward(self, planes: Tensor) -> Any:
        seen = self.body(planes)
        policy, out = self.policy(seen), self.value(seen)
        value = torch.tanh(out[:, :1])
        forms = {
            "wdl": (policy, out),
            "[B]": (policy, value[:, 0]),
            "[B, 1]": [policy, value],
            "draw": (policy, value, (1 - value.abs()) * torch.sigmoid(out[:, 1:2])),
        }
        return forms[self.form]


@pytest.mark.parametrize(
    ("game", "form"),
    [
        ("connect4", "wdl"),
        ("connect4", "[B]"),
        ("tictactoe", "[B, 1]"),
        ("exchange", "draw"),
    ],
)
def test_a_saved_module_answers_as_it_did(tmp_path: Path, game: str, form: str) -> None:
    """The ONNX file gives the policy, value and draw of the module in eval mode."""
    torch.manual_seed(0)
    module = MyNet(game, form)
    net = rz.net(rz.save_net(tmp_path / "mine", module, samples.game(game)))
    planes = little_nets.batch(game, 5)
    with torch.no_grad():
        policy, value, *draw = module.eval()(torch.from_numpy(planes))
    if form == "wdl":
        chances = torch.softmax(value, 1)
        value, draw = chances[:, 0] - chances[:, 2], [chances[:, 1]]
    answers = net.evaluator.evaluate(planes)
    np.testing.assert_allclose(answers.policy, policy.numpy(), atol=1e-4)
    np.testing.assert_allclose(answers.value, value.flatten().numpy(), atol=1e-4)
    wanted = draw[0].flatten().numpy() if draw else np.zeros(5)
    np.testing.assert_allclose(answers.draw, wanted, atol=1e-4)
    config = net.card.config
    assert config.has_draws == (form in ("wdl", "draw"))
    assert config.model_dump()["kind"] == "module"
    assert config.model_dump()["module"] == "MyNet"


def test_the_module_stays_as_it_was(tmp_path: Path) -> None:
    """Saving keeps the modes, statistics and weights of all parts, and writes no pickle."""
    module = MyNet().train()
    module.body[1].eval()  # frozen statistics
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    rz.save_net(tmp_path / "mine", module, "connect4", {"why": "a test"})
    assert module.training
    assert module.body[3].training
    assert not module.body[1].training
    for name, tensor in module.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mine.json",
        "mine.onnx",
        "mine.safetensors",
    ]
    assert rz.net(tmp_path / "mine").card.metadata == {"why": "a test"}


def test_weights_come_back(tmp_path: Path) -> None:
    """Weights load into a module of the same shape; other modules and damaged files raise."""
    module = MyNet()
    path = rz.save_net(tmp_path / "mine.onnx", module, "connect4")
    assert path == tmp_path / "mine"
    other = rz.load_weights(path, MyNet())
    for name, tensor in other.state_dict().items():
        assert torch.equal(tensor, module.state_dict()[name]), name
    with pytest.raises(rz.NetError, match=r"does not hold the weights of MyNet: .*size mismatch"):
        rz.load_weights(path, MyNet("tictactoe"))
    with pytest.raises(rz.NetError, match="does not hold the weights of Linear"):
        rz.load_weights(path, nn.Linear(2, 2))
    Path(f"{path}.safetensors").write_bytes(b"x")
    with pytest.raises(rz.NetError, match="is not the file its card names"):
        rz.load_weights(path, MyNet())


def test_weights_of_a_tower_come_back_too(tmp_path: Path) -> None:
    """save_net of a tower writes a net that can be trained further."""
    tower = create("connect4", NetConfig(blocks=1, channels=8), seed=3)
    path = rz.save_net(tmp_path / "tower", tower, "connect4")
    assert rz.net(path).card.tower_config(path) == tower.config
    again = rz.load_weights(path, create("connect4", NetConfig(blocks=1, channels=8)))
    for name, tensor in tower.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name


class Answering(MyNet):
    """A net whose outputs are changed by a function."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, planes: Tensor) -> Any:
        return self.answer(*super().forward(planes))


def _raise(policy: Tensor, _: Tensor) -> Any:
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda p, v: p, r"Answering answers 16 positions of connect4 with \[16, 7\]; it must be"),
        (lambda p, v: (p[:, :5], v), r"a tuple of \[16, 5\], \[16, 3\]; .* policy logits \[B, 7\]"),
        (lambda p, v: (p, v[:, :2]), r"a tuple of \[16, 7\], \[16, 2\]"),
        (lambda p, v: (p, None), "with a tuple of Tensor, NoneType"),
        (lambda p, v: (p, v, v, v), r"a tuple of \[16, 7\], \[16, 3\], \[16, 3\], \[16, 3\]"),
        (lambda p, v: None, "with NoneType"),
        (lambda p, v: (p * torch.nan, v), "a policy that is not finite"),
        (lambda p, v: (p, v[:, 0] * torch.inf), "a value that is not finite"),
        (lambda p, v: (p, v[:, 0] * 0 + 3), r"a value of 3: .* in \[-1, 1\], so end it with"),
        (lambda p, v: (p, v[:, 0] * 0, v[:, 0] * 0 + 2), "a probability of a draw outside"),
        (lambda p, v: (p - p.mean(0), v), "depends on the other positions of the batch"),
        (lambda p, v: (p if p.sum() > 0 else p + 1, v), "torch cannot export Answering to ONNX: "),
        (_raise, "Answering raised ValueError: no idea .*, when it is given planes"),
    ],
)
def test_what_cannot_play_is_refused(
    tmp_path: Path, answer: Any, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The error is one line with the shapes; torch prints nothing, and no file is written."""
    module = Answering(answer).train()
    with pytest.raises(rz.NetError, match=words) as raised:
        rz.save_net(tmp_path / "mine", module, "connect4")
    assert str(raised.value).isprintable()
    assert not any(tmp_path.iterdir())
    assert module.training
    assert capfd.readouterr() == ("", "")


def test_what_is_no_net_is_refused(tmp_path: Path) -> None:
    """Refused: objects that are no modules, weights that are not finite, paths with commas."""
    with pytest.raises(rz.NetError, match=r"a net must be a torch.nn.Module, not 'mine'"):
        rz.save_net(tmp_path / "mine", "mine", "connect4")  # type: ignore[arg-type]
    with pytest.raises(rz.NetError, match="without commas"):
        rz.save_net(tmp_path / "a,b", MyNet(), "connect4")
    broken = MyNet()
    with torch.no_grad():
        broken.value.bias[0] = torch.nan
    with pytest.raises(rz.NetError, match=r"MyNet has a weight that is not finite: value\.bias"):
        rz.save_net(tmp_path / "mine", broken, "connect4")


def test_what_needs_a_tower_says_so(tmp_path: Path) -> None:
    """Training and backend=torch need a tower and raise; playing works with any module."""
    path = rz.save_net(tmp_path / "mine", MyNet(), "connect4")
    rz.generate(rz.experiment("connect4", "tiny"), tmp_path / "games", workers=1)
    words = "is a torch module of your own, MyNet, .* not train: rz.load_weights loads"
    with pytest.raises(rz.NetError, match=words):
        rz.fit(rz.experiment("connect4", "tiny"), tmp_path / "games", tmp_path / "x", net=path)
    with pytest.raises(rz.NetError, match=words):
        rz.train("connect4", "tiny", tmp_path / "run", changes={"begin": str(path)}, workers=1)
    assert not (tmp_path / "run").exists()
    with pytest.raises(rz.NetError, match=words):
        rz.net(path, backend="torch")
    assert rz.diagnose(path, 2).untrained is None
    result = rz.match("connect4", f"puct:net={path},sims=8", "random", 4, workers=2)
    assert result.different > 1


def test_the_command_line_plays_it(tmp_path: Path) -> None:
    """match, diagnose, bench and export accept it like any other net, and match also as int8."""
    rz.save_net(tmp_path / "mine", MyNet(), "connect4")
    for words in (
        "match connect4 --a puct:net=mine,sims=4 --b policy:net=mine --games 2",
        "match connect4 --a puct:net=mine,sims=4,precision=int8 --b random --games 2",
        "diagnose mine --games 2",
        "bench connect4 --net mine",
        "export mine --to onnx --out out.onnx",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "rulezero", *words.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(rz.__file__).parents[1])},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), words
    assert (tmp_path / "out.onnx").read_bytes() == (tmp_path / "mine.onnx").read_bytes()


def test_importing_the_package_does_without_torch() -> None:
    """`import rulezero` does not import torch, so that CPU workers start quickly."""
    code = "import sys, rulezero; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_playing_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    """ONNX Runtime's telemetry, which writes to the home folder, is switched off."""
    net = rz.save_net(tmp_path / "mine", MyNet(), "connect4")
    home = tmp_path / "home"
    home.mkdir()
    here = {name: word for name, word in os.environ.items() if "TELEMETRY" not in name}
    here |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    words = ["match", "connect4", "--a", f"puct:net={net},sims=4", "--b", "random", "--games", "2"]
    command = [sys.executable, "-m", "rulezero", *words]
    subprocess.run(command, env=here, check=True, capture_output=True)
    assert not any(home.rglob("*onnxruntime*"))
