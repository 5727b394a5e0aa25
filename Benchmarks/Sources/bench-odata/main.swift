import Dispatch
import Foundation

// bench-odata store COUNT      reads so many rows in pages of 1,000 as values of a type, and prints the peak of memory in KiB
// bench-odata dynamic COUNT    the same as rows of which nobody knows beforehand what is in them
// bench-odata decoder COUNT    decodes the same pages by Foundation's JSONDecoder, a page at a time
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    guard arguments.count == 2, let count = Int(arguments[1]) else { return false }
    switch arguments[0] {
    case "store": try await Reading.typed(count)
    case "dynamic": try await Reading.dynamic(count)
    case "decoder": try Reading.decoded(count)
    default: return false
    }
    print(Reading.peak())
    return true
}

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
