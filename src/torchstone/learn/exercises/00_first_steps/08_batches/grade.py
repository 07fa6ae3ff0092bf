"""Grades batches: single samples, whole passes in order and shuffled, and what the dataset keeps."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, raw, watch

PROMISES = {
    "dataset[i], i from 0 to n − 1, returns the pair of sample i": "samples_are_right",
    "The work is done when a sample is asked for, and not before": "little_is_kept",
    "images and labels stay as they are": "samples_are_right",
    "make_loader(dataset, batch_size, shuffle) returns a DataLoader": "batches_are_right",
    "The last batch may be smaller, no sample is lost, and with": "shuffling_loses_nothing",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1, 1), (2, 2, 3), (5, 3, 3), (7, 4, 2)]


def pile(draw: Draw, n: int, height: int, width: int) -> tuple[Tensor, list[int]]:
    """Different first bytes, so that a sample can be told by its image."""
    images = draw.integers(n, height, width, high=256, dtype=torch.uint8)
    images[:, 0, 0] = draw.permutation(n).to(torch.uint8)
    labels = draw.integers(n, low=-3, high=1000).tolist()
    labels[n // 2] = draw.choice([2**40 + 1, -(2**40) - 1])
    return images, labels


def sample(images: Tensor, labels: list[int], i: int) -> tuple[Tensor, int]:
    return (images[i : i + 1].double() / 255).float(), labels[i]


@check("solved")
def samples_are_right(answer: Answer, draw: Draw) -> None:
    for n, height, width in SIZES:
        images, labels = pile(draw, n, height, width)
        kept, kept_labels = images.clone(), list(labels)
        dataset = answer.Pictures(images, labels)
        teach = "len(dataset) is the number of samples, the length of the first axis of images."
        expect(len(dataset) == n, f"len(dataset) is {len(dataset)} for {n} images", teach=teach)
        for i in range(n):
            got = dataset[i]
            expect(isinstance(got, tuple) and len(got) == 2, "a sample is not a pair", teach="return image, label")
            expect(
                type(got[1]) is int,
                f"the label is a {type(got[1]).__name__}, not an int",
                teach="The labels are Python numbers already: hand them on as they are.",
            )
            teach = "One colour plane in front, (1, height, width), as float32, divided by 255."
            expect_close(got, sample(kept, kept_labels, i), what=f"sample {i} of {n}", teach=teach)
        unchanged = torch.equal(images, kept) and labels == kept_labels
        expect(unchanged, "the images or labels were changed", teach="A sample is a new tensor: divide without /=.")


@check("solved")
def little_is_kept(answer: Answer, draw: Draw) -> None:
    images, labels = pile(draw, 200, 16, 16)
    with watch() as seen:
        dataset = raw(answer.Pictures)(images, labels)
    expect(
        seen.live_bytes <= images.numel() // 2,
        f"the dataset made {seen.live_bytes:,} bytes of its own from {images.numel():,} bytes of images",
        teach="Keep the bytes as they are, and make floats of one image in __getitem__, when it is asked for.",
    )
    with watch() as seen:
        for i in range(len(images)):
            dataset[i]
    teach = "A sample that was asked for is handed over and forgotten: who keeps them all keeps the floats."
    expect(
        seen.live_bytes <= images.numel() // 2,
        f"after one pass the dataset keeps {seen.live_bytes:,} bytes",
        teach=teach,
    )
    with watch() as seen:
        dataset[3]
    few = 16 * 16 * 4 * 4
    teach = "Take image i first, and then work on that one alone."
    expect(seen.peak_bytes <= few, f"one sample of 256 bytes needed {seen.peak_bytes:,} bytes", teach=teach)


def passes(loader: DataLoader) -> tuple[list[int], list[int], Tensor]:
    """The sizes of the batches, the first byte of each image, and the labels, in the order of one pass."""
    batches = [(images, torch.as_tensor(labels)) for images, labels in loader]
    firsts = torch.cat([images[:, 0, 0, 0] for images, _ in batches])
    return (
        [len(images) for images, _ in batches],
        (firsts * 255).round().long().tolist(),
        torch.cat([labels for _, labels in batches]),
    )


@check("solved")
def batches_are_right(answer: Answer, draw: Draw) -> None:
    for n, size in ((1, 1), (5, 2), (6, 3), (7, 16)):
        images, labels = pile(draw, n, 2, 3)
        loader = answer.make_loader(answer.Pictures(images, labels), size, False)
        expect(isinstance(loader, DataLoader), f"make_loader returned a {type(loader).__name__}, not a DataLoader")
        sizes, firsts, found = passes(loader)
        wanted = [min(size, n - start) for start in range(0, n, size)]
        teach = "batch_size says how many samples make a batch; the last one keeps the rest."
        expect(sizes == wanted, f"{n} samples came in batches of {sizes}, not {wanted}", teach=teach)
        in_order = firsts == images[:, 0, 0].tolist() and found.tolist() == labels
        expect(in_order, "without shuffle, the samples are not in their order", teach="Hand shuffle on as it is.")


@check("solved")
def shuffling_loses_nothing(answer: Answer, draw: Draw) -> None:
    images, labels = pile(draw, 40, 1, 2)
    loader = answer.make_loader(answer.Pictures(images, labels), 7, True)
    (sizes, first, found), (_, second, _) = passes(loader), passes(loader)
    everything = images[:, 0, 0].tolist()
    expect(
        sorted(first) == sorted(everything), "a shuffled pass does not have each sample once", teach="drop_last=False"
    )
    expect(max(sizes) == 7, f"shuffled batches have the sizes {sizes}, not 7", teach="batch_size belongs to both ways.")
    teach = "shuffle=True has the loader draw a new order for each pass."
    expect(first != everything, "with shuffle, the samples came in their old order", teach=teach)
    expect(first != second, "two shuffled passes had the same order", teach=teach)
    right = dict(zip(everything, labels, strict=True))
    together = [right[one] for one in first] == found.tolist()
    expect(together, "after shuffling, labels are with the wrong images", teach="Shuffle pairs, not images alone.")


@check("solved")
def samples_are_made_when_asked_for(answer: Answer, draw: Draw) -> None:
    """Bytes that change afterwards: what was made before, in whatever form, or kept since, is then out of date."""
    whole, labels = pile(draw, 6, 2, 3)
    # Also views that are not contiguous, of which a copy can be made by accident.
    for images in (whole, whole.transpose(1, 2), whole.repeat(1, 1, 2)[:, :, ::2]):
        expect_made_anew(raw(answer.Pictures)(images, labels), images, labels)


def expect_made_anew(dataset: Dataset, images: Tensor, labels: list[int]) -> None:
    for i in (2, 5, 2):
        teach = "Keep images as it is, and make the sample in __getitem__, each time anew."
        images[i] = 255 - images[i]
        expect_close(
            dataset[i][0], sample(images, labels, i)[0], what=f"sample {i}, whose bytes have changed", teach=teach
        )
        dataset[i][0].zero_()
        expect_close(dataset[i][0], sample(images, labels, i)[0], what=f"sample {i}, asked for once more", teach=teach)


class Squares(Dataset):
    """Another dataset of pairs: numbers without an axis, and labels."""

    def __len__(self) -> int:
        return 11

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return torch.tensor(i * i), -i


@check("solved")
def any_dataset_will_do(answer: Answer, draw: Draw) -> None:
    for size in (4, 20):
        batches = answer.make_loader(Squares(), size, False)
        seen = [(squares.tolist(), torch.as_tensor(labels).tolist()) for squares, labels in batches]
        parts = [range(start, min(start + size, 11)) for start in range(0, 11, size)]
        wanted = [([i * i for i in part], [-i for i in part]) for part in parts]
        expect(seen == wanted, f"another dataset came as {seen}", teach="Hand the dataset on to DataLoader as it is.")
