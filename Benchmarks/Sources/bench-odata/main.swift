import BenchMain
import Foundation
import ODataOnline

// bench-odata store COUNT      reads so many rows in pages of 1,000 as values of a type
// bench-odata dynamic COUNT    the same as rows of which nobody knows beforehand what is in them
// bench-odata decoder COUNT    decodes the same pages by Foundation's JSONDecoder, a page at a time
// Prints the KiB of memory that this took at the most, over what there was before.
// bench-odata hostile          names bad answers
// bench-odata hostile NAME     reads one: its code, the seconds of CPU that it took, and the KiB
@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    switch (arguments.first, arguments.count) {
    case ("hostile", 1): for hostile in Hostile.allCases { print(hostile.rawValue) }
    case ("hostile", 2):
        guard let hostile = Hostile(rawValue: arguments[1]) else { return false }
        // What is made once for all is rest.
        try await Reading.dynamic(1000)
        let start = clock()
        var code: ODataError.Code?
        let memory = try await Memory.over { code = try await hostile.code() }
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        print(code.map { "\($0)" } ?? "none", String(format: "%.2f", seconds), memory)
    default:
        guard arguments.count == 2, let count = Int(arguments[1]) else { return false }
        switch arguments[0] {
        case "store": print(try await Memory.over { try await Reading.typed(count) })
        case "dynamic": print(try await Memory.over { try await Reading.dynamic(count) })
        case "decoder": print(try await Memory.over { try Reading.decoded(count) })
        default: return false
        }
    }
    return true
}

runBenchmark(perform)
