/// An error of starting a landscape or waiting for it.
public struct LandscapeError: Error, Sendable, CustomStringConvertible {
    /// The kind of a ``LandscapeError``.
    public struct Code: Sendable, Hashable {
        private let name: String
        /// An origin could not listen on its port.
        public static let bindFailed = Code(name: "bindFailed")
        /// A certificate could not be made.
        public static let certificate = Code(name: "certificate")
        /// The landscape was stopped while something was awaited.
        public static let stopped = Code(name: "stopped")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence for people.
    public let message: String
    /// The underlying error, if any.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}
