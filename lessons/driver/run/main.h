#pragma once

namespace gradwalk::commands {

/// What main() does: reads the catalogue, dispatches the words, and returns the exit code.
///
/// @param single  the words are those of `run N` for the only lesson that this executable holds
int run_main(int argc, char** argv, bool single);

}  // namespace gradwalk::commands
