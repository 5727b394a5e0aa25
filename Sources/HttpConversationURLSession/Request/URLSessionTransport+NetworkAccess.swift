extension URLSessionTransport {
    /// The networks that exchanges may use, on Apple's systems.
    public struct NetworkAccess: Hashable, Sendable {
        /// Whether cellular networks may be used.
        public var allowsCellular = true
        /// Whether networks that the system counts as expensive may be used, such as personal hotspots.
        public var allowsExpensive = true
        /// Whether networks in Low Data Mode may be used.
        public var allowsConstrained = true

        /// Allows any network.
        public init() {}

        /// The access that both allow.
        func intersection(_ other: NetworkAccess) -> NetworkAccess {
            var result = self
            result.allowsCellular = allowsCellular && other.allowsCellular
            result.allowsExpensive = allowsExpensive && other.allowsExpensive
            result.allowsConstrained = allowsConstrained && other.allowsConstrained
            return result
        }
    }
}
