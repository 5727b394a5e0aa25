import HttpConversation

/// A factory call whose arguments are checked: its problems name the invalid argument.
struct FactoryCall {
    /// The documented name, such as `.password(_:_:for:)`.
    let name: String

    /// The origins of URLs; may be empty.
    func origins(_ urls: [any TargetURLConvertible], _ argument: String) throws(ConversationError) -> [Origin] {
        var origins: [Origin] = []
        for (index, url) in urls.enumerated() {
            let what = urls.count > 1 ? "\(argument) (number \(index + 1))" : argument
            let origin = try check(what) { () throws(ConversationError) in try url.targetOrigin() }
            if !origins.contains(origin) { origins.append(origin) }
        }
        return origins
    }

    /// The origins of URLs; at least one.
    func servers(_ urls: [any TargetURLConvertible], _ argument: String) throws(ConversationError) -> [Origin] {
        guard !urls.isEmpty else { throw problem(argument, "names no server: give at least one.") }
        return try origins(urls, argument)
    }

    /// The argument `start`: a page that is absolute, or a path at an origin.
    func start(
        _ start: (any TargetURLConvertible)?, at origin: Origin
    ) throws(ConversationError) -> TargetURL? {
        guard let start else { return nil }
        return try check("start") { () throws(ConversationError) in
            try origin.targetURL().resolving(start.urlText)
        }
    }

    /// Evaluates an argument; an error becomes a problem of this call.
    func check<Value, Failure: Error>(
        _ argument: String, _ make: () throws(Failure) -> Value
    ) throws(ConversationError) -> Value {
        do { return try make() } catch { throw problem(argument, Self.message(of: error), error) }
    }

    func problem(_ argument: String, _ message: String, _ cause: (any Error)? = nil) -> ConversationError {
        ConversationError(
            .invalidConfiguration, "The argument \(argument) of \(name): \(message)", underlyingError: cause)
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as ConversationError: error.message
        case let error as OAuth2Error: error.message
        case let error as WebLoginError: error.message
        case let error as ECPError: error.message
        default: "it cannot be used."
        }
    }
}
