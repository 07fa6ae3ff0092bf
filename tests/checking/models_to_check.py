"""Models as people write them, good and bad: what `check` is tried on."""

from typing import Any

import torch
from torch import Tensor, nn


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU())

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.inner(x)
        return out


class Eigen(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = torch.linalg.eig(x @ x.mT)[0].real  # eig
        return values


class Double(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x.double() * 2).float()  # double


class Cuda(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8).cuda()  # cuda


class Elsewhere(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8, device="cuda").to(x.device)  # elsewhere


class Branch(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum().item() > 0:  # item
            return x[x > 0]  # mask
        return x


class NamesMps(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8, device="mps")


class ViewsInPlace(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        y[:, 1:].mul_(2)
        y.t_().unsqueeze_(0)
        return y


class Huge(nn.Module):
    """A hundred gigabytes of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(50_000, 50_000) for _ in range(10))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Numpy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = x * float(x.detach().numpy().mean())  # numpy
        return found


class NumpyOfCopy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.from_numpy(x.detach().cpu().numpy() * 2).to(x.device)  # copied


class Noise(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        noise = torch.randn(3, 4)  # made on the CPU
        return x + noise * 0.1  # mixed


class Mask(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mask = torch.ones(4)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x * 2, self.mask.expand(4, 4))  # attribute


class HostsOwn(nn.Module):
    """What every device takes: a number of the host, and places of the host."""

    def forward(self, x: Tensor) -> Tensor:
        return x[torch.arange(2)] * torch.tensor(2.0)


class Hermitian(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        inverse: Tensor = torch.linalg.pinv(x @ x.mT, hermitian=True)  # hermitian
        return inverse


class Margin(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.multilabel_margin_loss(self.inner(x), x.long())  # margin


class Shrinks(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        while x.abs().max() > 0.5:  # loop
            x = x * 0.5
        return x


class Validated(nn.Module):
    """torch looks at values here, and does nothing but raise."""

    def forward(self, x: Tensor) -> Tensor:
        square = x @ x.mT
        normal = torch.distributions.Normal(square, square.exp(), validate_args=True)
        likelihood: Tensor = normal.log_prob(square)  # type: ignore[no-untyped-call]
        found: Tensor = torch.linalg.cholesky(square) + torch.linalg.inv(square) + likelihood
        return found


class HostsNumber(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.tensor(2.0) + torch.tensor(1.0, dtype=torch.float64)


class Singular(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = torch.linalg.svd(x)[1]
        return values


class Spectrum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 1

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return gradient * torch.linalg.eigvalsh(x @ x.mT).sum()  # own backward


class OwnBackward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        return Spectrum.apply(self.inner(x))  # type: ignore[no-untyped-call]


class Packs(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        packed: Any = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3]), batch_first=True)
        data: Tensor = packed.data
        return data


class Narrow(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.to(torch.float8_e4m3fn).float()  # narrow


class Compressed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.matrix: Tensor
        self.register_buffer("matrix", torch.eye(4).to_sparse_csr())

    def forward(self, x: Tensor) -> Any:
        return self.matrix @ x


class Turned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.frequencies: Tensor
        self.register_buffer("frequencies", torch.ones(4, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        return (x * self.frequencies.cos()).float()  # turned


class Inverse(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return torch.fft.irfft(torch.fft.rfft(x))


class Guarded(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if torch.isnan(x).any():
            raise ValueError("not a number")
        assert torch.isfinite(x).all(), "infinite"
        if not (x >= 0).all().item():
            raise ValueError("negative")
        return x * 2


class CastsOnTheHost(nn.Module):
    """A float64 of the host that reaches the device as float32, in each of three ways; and one that leaves it first."""

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.linspace(0, 1, 8, dtype=torch.float64)
        y = torch.empty_like(x).copy_(wide)
        y[0] = wide
        return x + y + wide.to(x.device, torch.float32) + x.cpu().double().float().to(x.device)


class MovesDouble(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.linspace(0, 1, 8, dtype=torch.float64).to(x.device).float()  # moves double


class FetchesDouble(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        wide = x.to("cpu", torch.float64)  # fetches double
        return x + wide.float().to(x.device)


class Catches(nn.Module):
    def forward(self, x: Tensor) -> Any:
        try:
            return torch.linalg.eigvals(x @ x.mT).real  # tried
        except RuntimeError:  # caught
            return torch.linalg.eigvals((x @ x.mT).cpu()).real.to(x.device)


class CatchesAnother(nn.Module):
    def forward(self, x: Tensor) -> Any:
        try:
            return torch.linalg.eigvals(x @ x.mT).real
        except KeyError:
            return x


class CatchesWhatIsRaised(nn.Module):
    """What a trace raises itself, as the device does."""

    def forward(self, x: Tensor) -> Tensor:
        try:
            x.numpy()
        except TypeError:
            x = x + 1
        try:
            return x + torch.ones(8)
        except RuntimeError:
            return x * 2


class AlwaysDropsOut(nn.Module):
    """Attention whose dropout goes on in evaluation."""

    def forward(self, x: Tensor) -> Any:
        heads = x.view(1, 1, *x.shape)
        return nn.functional.scaled_dot_product_attention(heads, heads, heads, dropout_p=0.1)  # drops out


class LargeQr(nn.Module):
    def forward(self, x: Tensor) -> Any:
        wide = x.new_ones(600, 600)
        return torch.linalg.qr(wide).Q.sum() + x  # large qr


class ForksChance(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            return x + torch.randn_like(x)


class CatchesTheTrace(nn.Module):
    """What a trace raises, and no device."""

    def forward(self, x: Tensor) -> Any:
        try:
            return torch.istft(torch.stft(x[0], 4, return_complex=True), 4)  # fails in a trace alone
        except Exception:
            return x


class LoopsOnTheTrace(nn.Module):
    def forward(self, x: Tensor) -> Any:
        while True:
            try:
                while x.abs().max() > 0.5:  # loops and catches
                    x = x * 0.5
                return x
            except Exception:
                continue


class MakesSparse(nn.Module):
    def forward(self, x: Tensor) -> Any:
        adjacency = torch.eye(4, device=x.device).to_sparse()  # made sparse
        return torch.sparse.mm(adjacency, x)  # used sparse


class Classes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        return self.linear(x).argmax(-1)


def _with(model: nn.Module, *shape: int) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return model, (torch.randn(*(shape or (4, 8))),)


def plain() -> Any:
    return _with(Plain())


def recurrent() -> Any:
    return _with(nn.LSTM(8, 8), 3, 4, 8)


def attention() -> Any:
    return nn.TransformerEncoderLayer(8, 2, batch_first=True), (torch.randn(2, 4, 8),)


def eigen() -> Any:
    return _with(nn.Sequential(Plain(), Eigen()))


def double() -> Any:
    return _with(Double())


def cuda() -> Any:
    return _with(nn.Sequential(nn.Identity(), Cuda()))


def elsewhere() -> Any:
    return _with(nn.Sequential(nn.Identity(), Elsewhere()))


def branch() -> Any:
    return _with(Branch())


def names_mps() -> Any:
    return _with(NamesMps())


def views() -> Any:
    return _with(ViewsInPlace())


def huge() -> Any:
    return _with(Huge(), 1, 50_000)


def compiled() -> Any:
    return torch.compile(Plain()), (torch.randn(4, 8),)


def parallel() -> Any:
    return nn.DataParallel(Plain()), (torch.randn(4, 8),)


def scripted() -> Any:
    return _with(torch.jit.trace(nn.Linear(8, 8), torch.randn(4, 8)))  # type: ignore[no-untyped-call]


def nothing() -> Any:
    return None


def numpy() -> Any:
    return _with(Numpy(), 3, 4)


def numpy_of_copy() -> Any:
    return _with(NumpyOfCopy(), 3, 4)


def noise() -> Any:
    return _with(Noise(), 3, 4)


def mask() -> Any:
    return _with(nn.Sequential(nn.Identity(), Mask()), 3, 4)


def hosts_own() -> Any:
    return _with(HostsOwn(), 3, 4)


def hermitian() -> Any:
    return _with(Hermitian(), 3, 4)


def margin() -> Any:
    return _with(Margin(), 3, 4)


def shrinks() -> Any:
    return _with(nn.Sequential(nn.Identity(), Shrinks()))


def validated() -> Any:
    return _with(Validated(), 3, 4)


def hosts_number() -> Any:
    return _with(HostsNumber())


def singular() -> Any:
    return _with(Singular(), 3, 4)


def own_backward() -> Any:
    return _with(OwnBackward(), 3, 4)


def projected() -> Any:
    return _with(nn.LSTM(8, 16, proj_size=8), 3, 4, 8)


def narrow() -> Any:
    return _with(Narrow())


def packs() -> Any:
    return _with(Packs(), 1, 3, 4)


class KeepsDouble(nn.Module):
    """A buffer that its forward pass does not use, and that must get to the device all the same."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(2, dtype=torch.float64))

    def forward(self, x: Tensor) -> Any:
        return self.inner(x)


class KeepsSparse(KeepsDouble):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.eye(4).to_sparse_csr())


class HiddenOnTheHost(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.LSTM(4, 4)

    def forward(self, x: Tensor) -> Any:
        return self.cells(x, (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)))[0]


def gated() -> Any:
    return _with(nn.GRU(4, 4, batch_first=True), 2, 3, 4)


def keeps_double() -> Any:
    return _with(KeepsDouble(), 2, 4)


def always_drops_out() -> Any:
    return _with(AlwaysDropsOut())


def always_drops_out_and_learns() -> Any:
    return _with(nn.Sequential(nn.Linear(8, 8), AlwaysDropsOut()))


def large_qr() -> Any:
    return _with(LargeQr())


def forks_chance() -> Any:
    return _with(ForksChance())


def keeps_sparse() -> Any:
    return _with(KeepsSparse(), 2, 4)


def hidden_on_the_host() -> Any:
    return _with(HiddenOnTheHost(), 3, 2, 4)


def casts_on_the_host() -> Any:
    return _with(CastsOnTheHost())


def moves_double() -> Any:
    return _with(MovesDouble())


def fetches_double() -> Any:
    return _with(FetchesDouble())


def catches() -> Any:
    return _with(Catches())


def catches_another() -> Any:
    return _with(CatchesAnother())


def catches_what_is_raised() -> Any:
    return _with(CatchesWhatIsRaised())


def catches_the_trace() -> Any:
    return _with(CatchesTheTrace())


def loops_on_the_trace() -> Any:
    return _with(LoopsOnTheTrace())


def makes_sparse() -> Any:
    return _with(MakesSparse())


def uses_sparse() -> Any:
    return _with(Compressed())


def frozen() -> Any:
    return _with(nn.Linear(4, 4).requires_grad_(False), 2, 4)


def chosen_classes() -> Any:
    return _with(Classes(), 2, 4)


def keeps_compressed() -> Any:
    return _with(Compressed(), 4, 3)


def wants_two_inputs() -> Any:
    return _with(nn.Bilinear(4, 4, 4), 2, 4)


def turned_in_each_layer() -> Any:
    return _with(nn.Sequential(Turned(), Turned(), Turned()), 2, 4)


def from_complex() -> Any:
    return Inverse(), (torch.ones(2, 5),)


def guarded() -> Any:
    return _with(Guarded(), 2, 4)


class TellsVariances(nn.Module):
    """Functions of torch that read values only to refuse or to warn, and norms that are no nuclear ones."""

    def __init__(self) -> None:
        super().__init__()
        self.likelihood, self.triplet = nn.GaussianNLLLoss(), nn.TripletMarginLoss()

    def forward(self, x: Tensor) -> Tensor:
        loss: Tensor = self.likelihood(x, x * 2, x.exp()) + self.triplet(x, x + 1, x - 1)
        return loss + torch.cov(x.T).sum()


class KeepsWindow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.window = torch.hann_window(8)

    def forward(self, x: Tensor) -> Tensor:
        return torch.stft(x, 8, window=self.window, return_complex=True).abs()  # window


class LearnsByItself(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        loss: Tensor = self.layer(x).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()


class Aligns(nn.Module):
    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        targets = torch.ones(2, 20, dtype=torch.long, device=x.device)
        return nn.functional.ctc_loss(x.log_softmax(-1), targets, lengths + 30, lengths)  # aligns


class Powers(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.float_power(x, 2)  # powers


class Pseudo(nn.Module):
    def __init__(self, hermitian: bool) -> None:
        super().__init__()
        self.hermitian = hermitian

    def forward(self, x: Tensor) -> Tensor:
        inverse: Tensor = torch.linalg.pinv(x @ x.T, hermitian=self.hermitian)  # pseudo
        return inverse


class Picks(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x[x > 0] * 2  # picks


def tells_variances() -> Any:
    return _with(TellsVariances(), 2, 4)


def keeps_window() -> Any:
    return _with(KeepsWindow(), 2, 64)


def learns_by_itself() -> Any:
    return _with(LearnsByItself(), 2, 4)


def aligns() -> Any:
    return Aligns(), (torch.ones(50, 2, 8), torch.tensor([20, 20]))


def powers() -> Any:
    return _with(Powers(), 2, 4)


def pseudo() -> Any:
    return _with(Pseudo(hermitian=False), 3, 4)


def pseudo_hermitian() -> Any:
    return _with(Pseudo(hermitian=True), 3, 4)


def picks() -> Any:
    return _with(Picks(), 2, 4)


def long_sound() -> Any:
    return _with(nn.Conv1d(1, 1, 3), 1, 1, 70_000)


class Penalty(nn.Module):
    """A penalty on the gradient, which a training step differentiates once more."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.last = inner, nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = x.detach().requires_grad_()
        found = self.inner(x)  # differentiated twice
        score = self.last(found[0] if isinstance(found, tuple) else found)
        (gradient,) = torch.autograd.grad(score.square().sum(), x, create_graph=True)
        loss: Tensor = gradient.square().sum()
        return loss


class ComplexPowers(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        z = torch.view_as_complex(x)
        return torch.square(z).abs() + (z**3).abs()  # cubed


class ComplexProduct(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        z = torch.view_as_complex(x)
        return torch.einsum("bij,bjk->bik", z, z).abs()


class HalfSpectrum(nn.Module):
    def __init__(self, cast: bool = False) -> None:
        super().__init__()
        self.cast, self.inner = cast, nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        with torch.autocast(x.device.type, dtype=torch.float16, enabled=self.cast):
            spectrum: Tensor = torch.fft.rfft(self.inner(x))  # spectrum
            return spectrum.abs()


class Windows(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        window = torch.hann_window(64, device=x.device, dtype=x.dtype)
        return torch.stft(x, 64, window=window, return_complex=True).abs()  # windows


class Causal(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 1)

    def forward(self, x: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        out: Tensor = self.inner(x, x, tgt_mask=mask)
        return out


class Lengths(nn.Module):
    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = torch.arange(int(lengths.max().item()), device=x.device)[None] < lengths[:, None]
        if bool(mask.all()):
            values: Tensor = torch.linalg.eig(x)[0].abs()
            return values
        return x[:, : mask.shape[1]][mask]


class WrittenLengths(nn.Module):
    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        first = lengths[0]
        lengths.zero_()
        return x[:, : int(first)]  # written before


def penalty_pooled() -> Any:
    return _with(Penalty(nn.MaxPool2d(2)), 1, 1, 8, 8)


def penalty_averaged() -> Any:
    return _with(Penalty(nn.AvgPool2d(2)), 1, 1, 8, 8)


def penalty_indexed() -> Any:
    return _with(Penalty(nn.MaxPool2d(2, return_indices=True)), 1, 1, 8, 8)


def penalty_recurrent() -> Any:
    return _with(Penalty(nn.LSTM(3, 4)), 2, 1, 3)


def complex_powers() -> Any:
    return _with(ComplexPowers(), 2, 3, 2)


def complex_product() -> Any:
    return _with(ComplexProduct(), 2, 3, 3, 2)


def spectrum_half() -> Any:
    return HalfSpectrum().half(), (torch.ones(2, 8).half(),)


def spectrum_cast() -> Any:
    return _with(HalfSpectrum(cast=True), 2, 8)


def windows_half() -> Any:
    return Windows(), (torch.ones(2, 256).half(),)


def windows() -> Any:
    return _with(Windows(), 2, 256)


def transposed_bfloat16() -> Any:
    return nn.ConvTranspose2d(1, 1, 2).bfloat16(), (torch.ones(1, 1, 4, 4).bfloat16(),)


def causal() -> Any:
    return _with(Causal(), 1, 3, 8)


def lengths() -> Any:
    return Lengths(), (torch.ones(2, 6, 6), torch.tensor([3, 5]))


def written_lengths() -> Any:
    return WrittenLengths(), (torch.ones(2, 6), torch.tensor([3, 5]))


class Flexible(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        from torch.nn.attention.flex_attention import flex_attention

        x = self.inner(x)
        out: Tensor = flex_attention(x, x, x)
        return out


def flexible() -> Any:
    return _with(Flexible(), 1, 1, 16, 16)
