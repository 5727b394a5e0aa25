import Foundation

extension ServerExchange {
    /// A query parameter as one of the values; nil if it is missing or empty.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Value.Type = Value.self
    ) throws -> Value? {
        guard let text = self.parameter(parameter), !text.isEmpty else { return nil }
        return try requiredChoice(parameter)
    }

    /// A query parameter as one of the values.
    func requiredChoice<Value: RawRepresentable<String> & CaseIterable>(_ parameter: String) throws -> Value {
        guard let value = Value(rawValue: self.parameter(parameter) ?? "") else {
            let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminFailure("\(parameter) must be one of: \(all)")
        }
        return value
    }

    /// The parameter `times`: the number of requests that meet a fault, 1 by default; nil if it is `all`.
    var times: Int? { parameter("times") == "all" ? nil : number("times", default: 1, in: 1...1_000_000) }

    /// A parameter as a duration in that unit if it is present; zero is nil.
    func duration(_ parameter: String, _ unit: (Int) -> Duration, max: Int, _ use: (Duration?) -> Void) {
        guard self.parameter(parameter) != nil else { return }
        let value = number(parameter, default: 0, in: 0...max)
        use(value == 0 ? nil : unit(value))
    }

    /// The body as JSON; nil if it is something else.
    func json<Value: Decodable>(_ type: Value.Type) async throws -> Value? {
        let bytes = try await body().collect(upTo: 65_536)
        return try? JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    }
}
