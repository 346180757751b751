"""A graph isomorphism network of torch_geometric, whose main process makes the batches. Variants:
workers (4)."""
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_add_pool
from common import Clock, dev, variant


class Graphs(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = int(torch.randint(10, 60, (1,), generator=g))
        return Data(x=torch.randn(n, 32, generator=g), edge_index=torch.randint(0, n, (2, 4 * n), generator=g),
                    y=torch.tensor(i % 2))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gin, self.out = GIN(32, 128, 5, norm="batch_norm"), torch.nn.Linear(128, 2)

    def forward(self, d):
        return self.out(global_add_pool(self.gin(d.x, d.edge_index), d.batch, d.num_graphs))


def main():
    torch.set_num_threads(1)
    n = 4 if "workers" in variant else 0
    data = DataLoader(Graphs(), batch_size=128, num_workers=n, pin_memory=n > 0)
    model = Net().to(dev)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    clock = Clock()
    for batch in data:
        batch = batch.to(dev)
        loss = torch.nn.functional.cross_entropy(model(batch), batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
