import Foundation
import HttpConversationConformance

// ConformanceRun [TRANSPORT [--alone | --list] [CASE…]]: exits 0 if all passed and nothing is left behind. Otherwise it
// prints the findings and exits 1. --alone: without exclusions. --list: prints the cases instead. For sanitizers:
// CONFORMANCE_TIME_LIMIT, seconds for a case, and CONFORMANCE_WIDTH, cases at a time.
let names = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
let isAlone = CommandLine.arguments.contains("--alone")
let ids = names.count > 1 ? Set(names.dropFirst()) : nil
let settings = ProcessInfo.processInfo.environment
let limit = settings["CONFORMANCE_TIME_LIMIT"].flatMap { Int($0) } ?? 20
let width = settings["CONFORMANCE_WIDTH"].flatMap { Int($0) } ?? 8
var isWell = true
let named = names.first.map { name in SuiteTransport.allCases.filter { $0.rawValue == name } }
if named?.isEmpty == true {
    print(
        "ConformanceRun: there is no such transport; one of \(SuiteTransport.allCases.map(\.rawValue).joined(separator: ", "))"
    )
    exit(2)
}
for transport in named ?? SuiteTransport.inOneProcess {
    if CommandLine.arguments.contains("--list") {
        for test in TransportConformance.cases where test.wires.contains(transport.wire) { print(test) }
        continue
    }
    let start = ContinuousClock.now
    let leftovers = await Leftovers()
    do {
        print(
            try await transport.run(
                only: ids, alone: isAlone, inParallel: width, timeLimit: .seconds(limit), watching: leftovers))
    } catch {
        print(error)
        isWell = false
    }
    // For a case that may end its process, only the result counts.
    let left = isAlone ? [] : await leftovers.names(within: .seconds(15))
    print("  \(ContinuousClock.now - start), left behind: \(left.isEmpty ? "nothing" : left.joined(separator: ", "))")
    if !left.isEmpty { isWell = false }
}
// A sanitizer that reports at exit would lose buffered output.
fflush(nil)
exit(isWell ? 0 : 1)
