// `train` is killed (SIGKILL) at random moments, again and again; whatever is then on the disk must
// load, and the run that is resumed must end in the same bytes as one that was left alone.
//
// GRADWALK_KILLS=50 asks for so many (5), GRADWALK_KILL_SEED=S for other moments (1).

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "lessons/driver/commands/driver_fixture.h"
#include "lessons/driver/commands/train_record.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/tokenizer/tokenizer.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

namespace fs = std::filesystem;
using Microseconds = std::chrono::microseconds;

class TrainKill : public test::Driver {
 protected:
  TrainKill() {
    std::ofstream text(folder_ / "text.txt");
    for (int i = 0; i < 200; ++i) text << "line " << i * i << " of a text that is made up\n";
  }

  // A checkpoint at every step, so that writing takes a good part of the time.
  std::vector<std::string> begin(const std::string& out, int steps) const {
    return {"train",          "text.txt",    "--out=" + out,  fmt::format("--steps={}", steps),
            "--batch=2",      "--context=8", "--d-model=32",  "--layers=1",
            "--heads=2",      "--warmup=2",  "--dropout=0.1", "--eval-every=10",
            "--save-every=1", "--threads=1"};
  }
  std::vector<std::string> resume(const std::string& out) const {
    return {"train", "text.txt", "--out=" + out, "--resume", "--threads=1"};
  }
  // A temporary file is there that this process has written: earlier ones may have left theirs.
  bool within_a_write(fs::file_time_type since) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "out")) {
      if (entry.path().extension() == ".tmp" && entry.last_write_time() >= since) return true;
    }
    return false;
  }
};

TEST_F(TrainKill, WhatIsOnTheDiskLoadsAndGoesOnToTheSameBytes) {
  const int kills = test::from_environment("GRADWALK_KILLS", 5);
  const int seed = test::from_environment("GRADWALK_KILL_SEED", 1);
  const int steps = 8 * kills;
  const Microseconds whole = time_of(begin("whole", steps));
  const Microseconds start_up = time_of(resume("whole"));
  // So that the run is about at its end when the last kill comes.
  const auto window = start_up + 2 * whole / kills;

  Generator generator(static_cast<std::uint64_t>(seed), "moments");
  std::vector<std::string> stood;
  int in_write = 0, finished = 0;
  for (int killed = 0; killed < kills;) {
    const fs::path record_path = folder_ / "out" / "training.safetensors";
    const auto since = fs::file_time_type::clock::now();
    const pid_t child = start(fs::exists(record_path) ? resume("out") : begin("out", steps));
    std::this_thread::sleep_for(
        Microseconds(generator.below(static_cast<std::int64_t>(window.count()))));
    kill(child, SIGKILL);
    const int code = wait_for(child);
    ASSERT_TRUE(code == 0 || code == 128 + SIGKILL) << code << content("log");
    killed += code != 0;
    if (!fs::exists(record_path)) {
      stood.emplace_back("-");
      continue;
    }
    in_write += within_a_write(since);
    const commands::TrainRecord record = commands::read_train_record(record_path);
    const double step = nn::Safetensors(record_path).load("step").item();
    stood.push_back(fmt::format("{}", step));
    if (step > 0) {  // else its model may be still to come
      nn::load_model(folder_ / "out");
      nn::load_model(folder_ / "out" / "best");
      nn::load_tokenizer(folder_ / "out");
    }
    if (code == 0) {
      ++finished;
      for (const char* name : {"training.safetensors", "model.safetensors", "losses.csv"}) {
        EXPECT_TRUE(content(fmt::format("out/{}", name)) == content(fmt::format("whole/{}", name)))
            << name;
      }
      fs::remove_all(folder_ / "out");
    }
  }
  time_of(fs::exists(folder_ / "out" / "training.safetensors") ? resume("out")
                                                               : begin("out", steps));
  for (const char* name : {"training.safetensors", "model.safetensors", "config.json",
                           "tokenizer.json", "losses.csv", "best/model.safetensors"}) {
    EXPECT_TRUE(content(fmt::format("out/{}", name)) == content(fmt::format("whole/{}", name)))
        << name;
  }
  std::cout << fmt::format(
      "{} kills (seed {}, within {} ms of a start), {} of them within a write, {} runs of {} steps "
      "ended before theirs; the checkpoint stood at step {}\n",
      kills, seed, window.count() / 1000, in_write, finished, steps, fmt::join(stood, " "));
}

}  // namespace
}  // namespace gradwalk
