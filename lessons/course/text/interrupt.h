#pragma once

namespace gradwalk::course {

/// From now on the first SIGINT or SIGTERM only raises a flag, which work asks for between steps;
/// the second ends the process at once. A closed output ends it quietly.
void catch_interrupts();

/// 0, or the signal that asks to stop.
int interrupt_signal();

}  // namespace gradwalk::course
