# rejected by: steps_are_right_on_two_ranks: What stands in .grad belongs to the caller
# the sum over the ranks stands in .grad afterwards; 'afterwards they may be left as they were, or averaged'
import torch
import torch.distributed as dist


class ShardedOptimizer:
    def __init__(self, parameters, make_optimizer):
        self.parameters = list(parameters)
        self.world = dist.get_world_size()
        total = sum(p.numel() for p in self.parameters)
        self.size = (total + self.world - 1) // self.world
        self.first = min(total, self.size * dist.get_rank())
        self.last = min(total, self.first + self.size)
        self.piece = torch.empty(self.last - self.first)
        self.optimizer = make_optimizer([self.piece])

    @torch.no_grad()
    def step(self):
        for p in self.parameters:
            dist.all_reduce(p.grad)
        flat_grad = torch.cat([p.grad.reshape(-1) for p in self.parameters])
        flat = torch.cat([p.reshape(-1) for p in self.parameters])
        self.piece.copy_(flat[self.first : self.last])
        self.piece.grad = flat_grad[self.first : self.last].div(self.world)
        self.optimizer.step()
        self.piece.grad = None
        sent = torch.nn.functional.pad(self.piece, (0, self.size - len(self.piece)))
        everything = torch.empty(self.size * self.world)
        dist.all_gather_into_tensor(everything, sent)
        place = 0
        for p in self.parameters:
            p.copy_(everything[place : place + p.numel()].view(p.shape))
            place += p.numel()
