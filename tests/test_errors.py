"""What an exception of anybody's says."""

from torchstone.errors import first_line_of, message_of, nearest_names, one_line_of


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_without_words() -> None:
    assert message_of(MuteError()) == "(its message cannot be shown)"


def test_what_steers_a_terminal_is_left_out_as_a_whole() -> None:
    assert one_line_of(ValueError("\x1b]0;title\x07 red\n\tline")) == "red line"
    assert message_of(ValueError("\x1b[96mThis is step 1/3\x1b[0m of 3[0]")) == "This is step 1/3 of 3[0]"


def test_the_first_line_says_what_kind_of_exception_it_is() -> None:
    assert first_line_of(ValueError("3 is not in list\nand more")) == "ValueError: 3 is not in list"
    assert first_line_of(RuntimeError("\nthe backend raised:\n  TypeError: x\nmore")) == (
        "RuntimeError: the backend raised: TypeError: x"
    )
    assert first_line_of(MemoryError()) == "MemoryError"


def test_names_that_resemble_nothing_get_no_suggestion() -> None:
    names = ["resnet50", "vgg16", "bert_base", "roll"]
    assert nearest_names("resnet5", names) == ["resnet50"]
    assert nearest_names("bert", names) == ["bert_base"]
    assert nearest_names("relu", names) == nearest_names("ba", names) == []
