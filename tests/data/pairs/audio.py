"""A network on sound, whose main process makes the spectra. Variants: workers (6)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


class Sounds(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        wave = torch.randn(32000, generator=g)
        spec = torch.stft(wave, 400, 160, window=torch.hann_window(400), return_complex=True)
        return spec.abs().log1p(), i % 35


def main():
    torch.set_num_threads(1)
    n = 6 if "workers" in variant else 0
    data = torch.utils.data.DataLoader(Sounds(), batch_size=32, num_workers=n, pin_memory=n > 0)
    layers = []
    for a, b in ((201, 256), (256, 256), (256, 512), (512, 512)):
        layers += [nn.Conv1d(a, b, 5, padding=2), nn.BatchNorm1d(b), nn.ReLU(), nn.MaxPool1d(2)]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(512, 35)).to(dev)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    clock = Clock()
    for spec, label in data:
        loss = nn.functional.cross_entropy(model(spec.to(dev)), label.to(dev))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
