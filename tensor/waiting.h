#pragma once

namespace gradwalk {

/// For the first line of main(): threads that wait for each other's work go to sleep after some
/// microseconds. By default OpenMP's runtimes let them spin for milliseconds, and beside another busy
/// process a waiting thread then keeps the core that the others wait for.
///
/// The runtimes read such settings before main and have no call for them, so this starts the program
/// anew with GOMP_SPINCOUNT and KMP_BLOCKTIME set. It returns, and nothing changes, where the caller's
/// environment has one of them or OMP_WAIT_POLICY, and where the system does not tell which program
/// this is.
void let_waiting_threads_sleep(char** argv);

}  // namespace gradwalk
