#include "nn/files/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <future>

#include "nn/checkpoint/files.h"

namespace gradwalk::nn {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(AtomicFile, NothingIsSeenBeforeTheCommit) {
  test::Folder folder;
  const auto path = folder / "x";
  test::write(path, "old");
  {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span("new", 3)));
    EXPECT_EQ(test::read(path), "old");
  }
  EXPECT_EQ(test::read(path), "old");  // thrown away
  test::write(folder / "x.tmp", "what a process that died has left, longer than the new");
  {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span("new", 3)));
    EXPECT_THAT(test::error_of([&] { AtomicFile second(path); }), HasSubstr("another writer"));
    file.commit();
  }
  EXPECT_EQ(test::read(path), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.tmp"));
}

TEST(AtomicFile, NamesTheFileItCannotMake) {
  test::Folder folder;
  const auto path = folder / "none" / "x.json";
  EXPECT_THAT(test::error_of([&] { write_file_atomically(path, "new"); }),
              AllOf(StartsWith("write_file_atomically: cannot open"), HasSubstr(path.string()),
                    HasSubstr("No such file")));
  EXPECT_THAT(test::error_of([&] { keep_file(path, "new"); }),
              StartsWith("keep_file: cannot open"));
  EXPECT_THAT(test::error_of([&] { const AtomicFile file(path); }),
              StartsWith("AtomicFile: cannot open"));
}

TEST(WriteFile, ReplacesAFileThatMayNotBeWrittenTo) {
  test::Folder folder;
  test::write(folder / "x", "old");
  fs::permissions(folder / "x", fs::perms::owner_read);
  write_file_atomically(folder / "x", "new");
  EXPECT_EQ(test::read(folder / "x"), "new");
  EXPECT_EQ(files_in(folder.path()), 1U) << "the temporary file is gone";
}

TEST(KeepFile, WritesOnlyWhatIsNew) {
  test::Folder folder;
  keep_file(folder / "x", "old");
  const auto hour_ago = fs::last_write_time(folder / "x") - std::chrono::hours(1);
  fs::last_write_time(folder / "x", hour_ago);
  keep_file(folder / "x", "old");
  EXPECT_EQ(fs::last_write_time(folder / "x"), hour_ago);
  keep_file(folder / "x", "new");
  EXPECT_EQ(test::read(folder / "x"), "new");
}

TEST(WriteFile, FollowsALink) {
  test::Folder folder;
  test::write(folder / "x", "old");
  fs::create_symlink(folder / "x", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(test::read(folder / "x"), "new");
}

TEST(WriteFile, WritesIntoAPipeAndLeavesIt) {
  test::Folder folder;
  const auto path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return test::read(path); });
  write_file_atomically(path, "new");
  EXPECT_EQ(reader.get(), "new");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace gradwalk::nn
