// A training step of a GPT-2 style model, from the size of a lesson's toy to GPT-2's own: forward,
// forward and backward, and with the optimizer.

#include <algorithm>
#include <memory>

#include "autograd/backward.h"
#include "bench/gpt.h"
#include "bench/gpt_naive.h"
#include "bench/limits.h"
#include "bench/memory.h"
#include "bench/workloads.h"

namespace gradwalk::bench {
namespace {

// Larger models take the naive loops minutes.
bool has_naive(const GptConfig& config) { return config.d_model <= 64; }

// Making the largest model anew for each check takes too long: its gradients are checked.
bool has_step_check(const GptConfig& config) { return config.vocab_size < 50'000; }

bool libtorch_is_among(const Peers& peers) {
  return std::any_of(peers.begin(), peers.end(), [](const std::shared_ptr<Peer>& peer) {
    return peer->describe().starts_with("libtorch");
  });
}

// float32 sums over all tokens of a batch, and through all layers.
constexpr double kTolerance = 1e-3;

using Loss = Variable (*)(nn::CausalLm&, const GptBatch&);

Variable naive_loss(nn::CausalLm& model, const GptBatch& batch) {
  return naive_gpt_loss(model, batch);
}

Contender forward_way(const char* name, const std::shared_ptr<GptSetup>& setup, Loss loss) {
  const auto compute = [setup, loss] {
    const NoGrad no_grad;
    return loss(setup->model, setup->batch).value();
  };
  return {name, [compute] { compute(); }, [compute]() -> Tensors { return {compute()}; }};
}

Contender backward_way(const char* name, const std::shared_ptr<GptSetup>& setup, Loss loss) {
  const auto run = [setup, loss, parameters = setup->model.parameters()] {
    for (const Variable& parameter : parameters) parameter.zero_grad();
    backward(loss(setup->model, setup->batch));
  };
  return {name, run, [run, setup] {
            run();
            return gpt_grads(setup->model);
          }};
}

using Step = std::function<void()>;
using MakeStep = Step (*)(GptSetup&);

// The loss after three steps of a model that starts anew: what steps are held against.
Tensors loss_after_steps(const GptConfig& config, MakeStep make_step) {
  GptSetup setup(config);
  const Step step = make_step(setup);
  for (int i = 0; i < 3; ++i) step();
  return {gpt_loss(setup.model, setup.batch).value()};
}

Step our_step(GptSetup& setup) {
  const auto optimizer = std::make_shared<nn::AdamW>(gpt_optimizer(setup.model));
  return [&setup, optimizer] { gpt_step(setup.model, *optimizer, setup.batch); };
}

Step naive_step(GptSetup& setup) {
  const auto optimizer = std::make_shared<NaiveGptOptimizer>(setup.model);
  return [&setup, optimizer] { optimizer->step(setup.model, setup.batch); };
}

// Each with a model of its own, since steps move it.
Contender step_way(const char* name, const GptConfig& config, MakeStep make_step) {
  const auto setup = std::make_shared<GptSetup>(config);
  Contender way{name, [setup, step = make_step(*setup)] { step(); }};
  if (has_step_check(config)) {
    way.result = [=] { return loss_after_steps(config, make_step); };
  }
  return way;
}

std::vector<Contender> contenders(const GptConfig& config, Pass pass, const Peers& peers) {
  const auto setup = std::make_shared<GptSetup>(config);
  const double flops = gpt_forward_flops(config) * (pass == Pass::kForward ? 1 : 3);
  std::vector<Contender> all{fma_limit(flops)};
  const auto add_way = [&](const char* name, Loss loss, MakeStep make_step) {
    if (pass == Pass::kForward) all.push_back(forward_way(name, setup, loss));
    if (pass == Pass::kForwardBackward) all.push_back(backward_way(name, setup, loss));
    if (pass == Pass::kStep) all.push_back(step_way(name, config, make_step));
  };
  add_way("ours", gpt_loss, our_step);
  if (has_naive(config)) add_way("naive", naive_loss, naive_step);
  const GptCall call{config, pass, &setup->model, setup->batch};
  add_ways(all, peers, [&](Peer& peer) { return peer.gpt(call); });
  return all;
}

// Figures of processes of their own.
std::vector<Contender> readings(const std::string& arguments, bool with_libtorch) {
  const auto reading = [&](const char* name, const std::string& program) {
    Contender contender{name, {}};
    contender.reading = [=] { return figure_of_program(program, arguments); };
    return contender;
  };
  std::vector<Contender> all{reading("ours", "gradwalk_bench_memory")};
  if (with_libtorch) all.push_back(reading("libtorch", "gradwalk_bench_memory_libtorch"));
  return all;
}

}  // namespace

std::vector<Workload> gpt_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  for (const GptConfig& config : gpt_configs()) {
    const auto tokens = static_cast<double>(config.batch * config.seq_len);
    const auto add_pass = [&](const std::string& name, Pass pass) {
      workloads.push_back({"gpt." + config.name + name, kTokens, tokens, kTolerance,
                           [=] { return contenders(config, pass, peers); }});
    };
    add_pass(".fwd", Pass::kForward);
    add_pass(".fwdbwd", Pass::kForwardBackward);
    add_pass(".step", Pass::kStep);
  }
  const auto add_figure = [&](const GptConfig& config, const char* name, const Unit& unit,
                              const char* what, bool with_libtorch) {
    workloads.push_back({"gpt." + config.name + name, unit, 1, /*tolerance=*/0,
                         [arguments = config.name + " " + what, with_libtorch] {
                           return readings(arguments, with_libtorch);
                         },
                         /*one_thread_only=*/true});
  };
  for (const GptConfig& config : gpt_configs()) {
    add_figure(config, ".peak_rss", kMebibytes, "peak", libtorch_is_among(peers));
  }
  for (const GptConfig& config : gpt_configs()) {
    add_figure(config, ".system_allocations", kCount, "allocations", /*with_libtorch=*/false);
  }
  return workloads;
}

}  // namespace gradwalk::bench
