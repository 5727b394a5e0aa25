import Dispatch
import Foundation

/// Runs a program of this package with its arguments, and ends the process: with 2 if it throws, or does not know them.
///
/// - Parameter perform: returns false for arguments that it does not know
public func runBenchmark(_ perform: @escaping @Sendable ([String]) async throws -> Bool) {
    // The main thread waits by itself: valgrind does not survive what an asynchronous main leaves it to.
    let end = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            if try await perform(Array(CommandLine.arguments.dropFirst())) { exit(0) }
            print("usage: see the first lines of main.swift")
        } catch { print("\(error)") }
        exit(2)
    }
    end.wait()
}
