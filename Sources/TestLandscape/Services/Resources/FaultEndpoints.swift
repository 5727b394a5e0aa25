import HTTPTypes
import HummingbirdCore

/// `/fault/NAME`: the response for faults that leave room for one.
struct FaultEndpoints: Service {
    func register(in table: inout EndpointTable) {
        table.add("fault") { exchange in
            guard exchange.segments.count > 1, Fault.named[exchange.segments[1]] != nil else {
                return .text("known faults: \(Fault.named.keys.sorted().joined(separator: ", "))\n", status: .notFound)
            }
            return .text("this went well, apart from \(exchange.segments[1])\n")
        }
    }

    let contents = [
        ContentsEntry("/fault/{name}", "a response with a fault: " + Fault.named.keys.sorted().joined(separator: ", "))
    ]
}
