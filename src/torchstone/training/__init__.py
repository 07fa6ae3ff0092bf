"""Fine-tuning a pre-trained classifier of images: the trainer under the experiment `finetune`.

    recipe         what is trained on what, and how: everything that the result depends on
    photographs    the images in memory, their order in each epoch, flips and quarter turns
    classifier     the model with a last layer for these classes
    folding        frozen batch norm computed inside the convolution before it
    schedule       the learning rate of every step
    trainer        the loop: steps, epochs, accuracy, when to save and when to stop
    checkpoint     everything needed to go on, written so that a kill leaves the old one or the new one
    team           one process among several: its share of a batch, and what they agree on
    launching      starts several processes through torch.distributed.run and follows them
    probe          features computed once, and a linear classifier solved on them
    gradcam        where in an image the evidence for a class lies
    predictions    what the trained model says of test photographs, and which of them to show
    first_losses   the first steps on a device beside the CPU's in float64

`python -m torchstone.training` trains in one process, or as one of many under `torchrun`.
"""
