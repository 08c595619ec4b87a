// `train` as a user calls it, on models so small that a run takes no time.

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "lessons/driver/commands/command_fixture.h"
#include "lessons/driver/commands/train_record.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/tokenizer/tokenizer.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* kFiles[] = {
    "training.safetensors", "model.safetensors",      "config.json",      "tokenizer.json",
    "losses.csv",           "best/model.safetensors", "best/config.json", "best/tokenizer.json"};

class TrainTest : public test::CommandTest {
 protected:
  TrainTest() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += i % 3 == 0 ? "the cat sat. " : "a dog ran off; ";
    put("text.txt", text);
  }
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  std::string content(const fs::path& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  // A run of 20 updates with dropout, a curve of five points and checkpoints in between.
  int train(const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        "train",       "text.txt",    "--out=" + out,   "--steps=20",    "--batch=2",
        "--context=8", "--d-model=8", "--layers=1",     "--heads=2",     "--dropout=0.1",
        "--warmup=2",  "--lr=0.01",   "--eval-every=5", "--save-every=3"};
    for (const std::string& word : more) {
      const std::string name = word.substr(0, word.find('='));
      std::erase_if(words, [&](const std::string& old) { return old.starts_with(name + "="); });
      words.push_back(word);
    }
    return call(words);
  }
  int resume(const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"train", "text.txt", "--out=" + out, "--resume"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  }
  std::int64_t step_of(const std::string& out) const {
    return static_cast<std::int64_t>(
        nn::Safetensors(folder_ / out / "training.safetensors").load("step").item());
  }
  void expect_same_files(const std::string& a, const std::string& b) const {
    for (const char* name : kFiles) {
      const std::string bytes = content(fs::path(a) / name);
      EXPECT_FALSE(bytes.empty()) << name;
      EXPECT_TRUE(bytes == content(fs::path(b) / name)) << name;
    }
  }
};

TEST_F(TrainTest, LeavesAModelThatGoesOn) {
  EXPECT_EQ(train("out"), 0) << err_;
  EXPECT_EQ(err_, "");
  EXPECT_THAT(
      out_,
      AllOf(HasSubstr("text   860 characters, 15 different; the last 86 validate\n"
                      "model  1072 parameters: 1 layers, 2 heads, width 8, context 8\n"
                      "step  0   train 2.7"),
            HasSubstr("nats a character\nstep  5   train "), HasSubstr("\nstep 20   train "),
            EndsWith("try    ./gradwalk generate out --prompt=the --temperature=0.8 --slide\n")));
  const auto model = nn::load_model(folder_ / "out");
  const nn::Tokenizer tokenizer = nn::load_tokenizer(folder_ / "out");
  EXPECT_EQ(model->options().vocab_size, tokenizer.vocab_size());
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("the dog ran.")), "the dog ran.");
  nn::load_model(folder_ / "out" / "best");
  const std::string csv = content("out/losses.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
  EXPECT_THAT(csv, AllOf(testing::StartsWith("step,train,validation\n0,2.7"), HasSubstr("\n15,")));
  EXPECT_EQ(step_of("out"), 20);
}

TEST_F(TrainTest, AnInterruptedRunResumesToTheSameBytes) {
  EXPECT_EQ(train("whole"), 0);
  for (const int updates : {0, 7, 18}) {
    const std::string out = "out" + std::to_string(updates);
    signal_ = updates % 2 == 0 ? 2 : 15;
    signal_after_ = updates;
    EXPECT_EQ(train(out), 128 + signal_);
    EXPECT_EQ(err_, "stopped, with a checkpoint; to go on: ./gradwalk train text.txt --out=" + out +
                        " --resume\n");
    EXPECT_EQ(step_of(out), updates);
    signal_ = 2;
    signal_after_ = 1;
    EXPECT_EQ(resume(out), 130);
    EXPECT_EQ(step_of(out), updates + 1);
    signal_ = 0;
    EXPECT_EQ(resume(out), 0) << err_;
    EXPECT_THAT(out_, HasSubstr("resume at step " + std::to_string(updates + 1) + " of 20\n"));
    expect_same_files(out, "whole");
  }
}

TEST_F(TrainTest, ThreadsChangeNothing) {
  const int before = num_threads();
  EXPECT_EQ(train("one", {"--threads=1"}), 0);
  EXPECT_EQ(train("two", {"--threads=2"}), 0);
  set_num_threads(before);
  expect_same_files("one", "two");
}

TEST_F(TrainTest, AFinishedRunHasNothingToDoButMendsItsFiles) {
  EXPECT_EQ(train("out"), 0);
  fs::copy(folder_ / "out", folder_ / "copy", fs::copy_options::recursive);
  for (const char* name : {"model.safetensors", "config.json", "losses.csv"}) {
    fs::remove(folder_ / "copy" / name);
  }
  EXPECT_EQ(resume("copy"), 0);
  expect_same_files("copy", "out");
}

TEST_F(TrainTest, TheBestModelIsThatOfTheLowestValidationLoss) {
  // At this rate the loss is higher at step 15 than at 10, which is where the other run is stopped.
  signal_ = 2;
  signal_after_ = 17;
  EXPECT_EQ(train("out", {"--lr=0.3"}), 130);
  signal_after_ = 10;
  EXPECT_EQ(train("ten", {"--lr=0.3"}), 130);
  const auto record = commands::read_train_record(folder_ / "out" / "training.safetensors");
  ASSERT_EQ(record.curve.size(), 4U);
  ASSERT_LT(record.curve[2].validation, record.curve[3].validation);
  EXPECT_EQ(content("out/best/model.safetensors"), content("ten/model.safetensors"));
  commands::TrainRecord made;
  made.curve = {{0, 3, 3}, {5, 2, 2}, {10, 1, 2}};
  EXPECT_FALSE(made.is_best(10));  // of equals the first
  made.curve.back().validation = 1.5;
  EXPECT_TRUE(made.is_best(10));
  EXPECT_FALSE(made.is_best(12));
}

TEST_F(TrainTest, RefusesAFolderThatHoldsAnother) {
  EXPECT_EQ(train("out"), 0);
  const std::string before = content("out/training.safetensors");
  EXPECT_EQ(train("out"), 2);
  EXPECT_THAT(err_, HasSubstr("gradwalk train: --out=out: a run is there; add --resume to go on "
                              "with it, or name another folder\n"));
  EXPECT_EQ(content("out/training.safetensors"), before);
  fs::create_directory(folder_ / "mine");
  put("mine/config.json", "{}");
  EXPECT_EQ(train("mine"), 2);
  EXPECT_THAT(err_, HasSubstr("--out=mine: expected a new or an empty folder, got one with "
                              "config.json\n"));
  EXPECT_EQ(train("text.txt"), 2);
  EXPECT_THAT(err_, HasSubstr("--out=text.txt: expected a folder\n"));
  // What is left of a run that died before its first checkpoint is no obstacle.
  fs::create_directory(folder_ / "died");
  put("died/training.safetensors.tmp", "half");
  EXPECT_EQ(train("died"), 0) << err_;
}

TEST_F(TrainTest, ARunKeepsItsSettings) {
  signal_ = 2;
  signal_after_ = 4;
  EXPECT_EQ(train("out"), 130);
  signal_ = 0;
  EXPECT_EQ(resume("out", {"--lr=0.02"}), 2);
  EXPECT_THAT(
      err_, HasSubstr("gradwalk train: --lr=0.02: the run in out has 0.01, and --resume keeps it"));
  EXPECT_EQ(resume("out", {"--steps=21"}), 2);
  EXPECT_THAT(err_, HasSubstr("--steps=21: the run in out has 20"));
  EXPECT_EQ(step_of("out"), 4);
  put("other.txt", content("text.txt") + "!");
  EXPECT_EQ(call({"train", "other.txt", "--out=out", "--resume"}), 4);
  EXPECT_THAT(err_, HasSubstr("other.txt: expected the text of the run in out (860 bytes, fnv1a "));
  EXPECT_EQ(resume("none"), 2);
  EXPECT_THAT(err_, HasSubstr("--resume: no run in none: there is no none/training.safetensors\n"));
  // Settings that are its own, and one that changes no result.
  EXPECT_EQ(resume("out", {"--lr=0.01", "--seed=1", "--save-every=1"}), 0) << err_;
}

TEST_F(TrainTest, ABrokenCheckpointIsNamed) {
  EXPECT_EQ(train("out"), 0);
  const fs::path path = folder_ / "out" / "training.safetensors";
  const auto record = commands::read_train_record(path);
  auto changed = record;
  changed.trainer.pop_back();
  commands::write_train_record(path, changed);
  EXPECT_EQ(resume("out"), 4);
  EXPECT_THAT(err_, AllOf(HasSubstr("out/training.safetensors: "), HasSubstr("expected ")));
  changed = record;
  changed.settings.heads = 3;
  commands::write_train_record(path, changed);
  EXPECT_EQ(resume("out"), 4);
  EXPECT_THAT(err_, HasSubstr("d-model: expected a multiple of heads, got 8 and 3"));
  changed = record;
  changed.settings.dropout = 1;
  commands::write_train_record(path, changed);
  EXPECT_EQ(resume("out"), 4);
  EXPECT_THAT(err_, HasSubstr("dropout: expected a number in [0, 1), got '1'"));
  nn::save_safetensors(path, record.trainer);
  EXPECT_EQ(resume("out"), 4);
  EXPECT_THAT(err_, HasSubstr("expected a checkpoint of the format 'gradwalk training 1'"));
  put("out/training.safetensors", "short");
  EXPECT_EQ(resume("out"), 4);
  EXPECT_THAT(err_, HasSubstr("out/training.safetensors"));
}

TEST_F(TrainTest, ValidatesBeforeItWrites) {
  const auto refuses = [&](const std::vector<std::string>& words, int code, const char* text) {
    std::vector<std::string> all = {"train"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(call(all), code) << text;
    EXPECT_THAT(err_, HasSubstr(text));
    EXPECT_FALSE(fs::exists(folder_ / "out")) << text;
  };
  put("empty.txt", "");
  put("short.txt", std::string(80, 'x'));
  put("latin1.txt", "caf\xe9 au lait");
  refuses({"empty.txt", "--out=out"}, 4, "empty.txt: expected a text, got none\n");
  refuses({"none.txt", "--out=out"}, 4, "none.txt: cannot be read: No such file");
  refuses({".", "--out=out"}, 4, ".: cannot be read: Is a directory");
  refuses({"latin1.txt", "--out=out"}, 4, "latin1.txt: expected UTF-8, got byte 0xE9 at 3\n");
  refuses({"short.txt", "--out=out", "--context=8"}, 4,
          "short.txt: expected more than 8 characters (--context) in the last tenth, which "
          "validates, got 8 of 80\n");
  refuses({"text.txt"}, 2, "expected a folder: --out=DIR\n");
  refuses({"--out=out"}, 2, "expected one text file, got none\n");
  refuses({"text.txt", "more.txt", "--out=out"}, 2,
          "expected one text file, got 'text.txt more.txt'\n");
  refuses({"text.txt", "--out=out", "--heads=3"}, 2,
          "--d-model: expected a multiple of --heads=3, got 128\n");
  refuses({"text.txt", "--out=out", "--steps=0"}, 2,
          "--steps: expected a whole number from 1 to 1000000000, got '0'\n");
  refuses({"text.txt", "--out=out", "--dropout=1"}, 2,
          "--dropout: expected a number in [0, 1), got '1'\n");
  refuses({"text.txt", "--out=out", "--lr=fast"}, 2,
          "--lr: expected a number in [0, 1000), got 'fast'\n");
  refuses({"text.txt", "--out=out", "--threads=0"}, 2,
          "--threads: expected a number from 1 to 1024, got '0'\n");
  refuses({"text.txt", "--out=out", "--step=3"}, 2, "unknown option '--step', nearest: --steps");
}

TEST_F(TrainTest, ANumberThatIsNotFiniteStopsTheRun) {
  EXPECT_EQ(train("out", {"--lr=900", "--weight-decay=900", "--steps=400"}), 5);
  EXPECT_THAT(err_, AllOf(HasSubstr("step "), HasSubstr(": stopped; the checkpoint of step "),
                          HasSubstr(" stays. Try a lower --lr\n")));
}

TEST_F(TrainTest, TwoAtOnceInOneFolderAreRefused) {
  signal_ = 2;
  signal_after_ = 2;
  EXPECT_EQ(train("out"), 130);
  signal_ = 0;
  // The inner call comes while the outer one holds the folder.
  int inner = -1;
  std::string inner_error;
  course::Console console;
  console.out = [](std::string_view) {};
  console.err = [&](std::string_view text) { inner_error += text; };
  console.variable = [](const char*) { return std::string(); };
  bool asked = false;
  console.interrupted = [&] {
    if (!asked) {
      asked = true;
      inner = resume("out");
    }
    return 0;
  };
  const course::Catalogue catalogue = test::fake_catalogue();
  const commands::Context context{console, catalogue, {test::fake_factory()}};
  EXPECT_EQ(
      static_cast<int>(commands::dispatch(context, {"train", "text.txt", "--out=out", "--resume"})),
      0)
      << inner_error;
  EXPECT_EQ(inner, 4);
  EXPECT_THAT(err_, HasSubstr("out: another process trains here\n"));
}

TEST_F(TrainTest, HelpListsEveryOptionWithItsDefault) {
  EXPECT_EQ(call({"train", "--help"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("./gradwalk train TEXT --out=DIR"), HasSubstr("--steps=N"),
                          HasSubstr("updates (2000)"), HasSubstr("--resume")));
}

}  // namespace
}  // namespace gradwalk
