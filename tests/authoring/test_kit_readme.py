"""The kit's README: what each notebook needs, and how to start."""

from manyheads import __version__
from manyheads.authoring import kit

WHEEL = f"manyheads-{__version__}-py3-none-any.whl"


def test_what_is_needed_is_told_as_the_notebook_tells_it():
    head = "# 06 · Latent\n\n**Time:** about 90 minutes.\n**You need:** NumPy. The last part can use\ntorch.\n\nText."
    assert kit.described(head) == ("Latent", "90", "The last part can use torch.")
    assert kit.described(head.replace("The last part can use\ntorch.", "No GPU, no torch."))[2] == "nothing"
    compiler = head.replace("The last part can use\ntorch.", "A C++ compiler.\nNo GPU, no torch.")
    assert kit.described(compiler)[2] == "A C++ compiler."


def test_with_an_address_colab_needs_no_upload_of_the_wheel():
    colab = [line for line in kit.readme(WHEEL, {}, "https://example.org/m.whl").splitlines() if "**Colab:**" in line]
    assert colab == ["**Colab:** upload the notebook, and run it."]
