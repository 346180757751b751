"""ResNet-18 trained by Lightning in fp32. Variants: tf32, amp (bf16-mixed)."""
import logging
import warnings

import torch
import torchvision
import pytorch_lightning as pl
from common import Clock, steps, variant


class Images(torch.utils.data.Dataset):
    def __init__(self):
        self.img = torch.randn(64, 3, 224, 224)

    def __len__(self):
        return 100000

    def __getitem__(self, i):
        return self.img[i % 64], i % 1000


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torchvision.models.resnet18()
        self.clock = Clock()

    def training_step(self, batch, i):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def on_train_batch_end(self, *a):
        self.clock.step()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)


def main():
    warnings.filterwarnings("ignore")
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    data = torch.utils.data.DataLoader(Images(), batch_size=64, num_workers=4, pin_memory=True)
    pl.Trainer(max_steps=steps, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
               enable_progress_bar=False, enable_model_summary=False,
               precision="bf16-mixed" if "amp" in variant else "32-true").fit(Net(), data)


if __name__ == "__main__":
    main()
