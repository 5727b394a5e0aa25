/// The reason why there is no Kerberos ticket for a server, or why the server did not prove that it is the right one.
public struct KerberosError: Error, Sendable, Hashable {
    /// The kind of problem, for code that acts on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The system's Kerberos library is missing or too old.
        public static let libraryMissing = Code("libraryMissing")
        /// There is no ticket: nobody has logged in to Kerberos, or the cache or keytab cannot be read.
        public static let noTicket = Code("noTicket")
        /// The ticket has expired.
        public static let expired = Code("expired")
        /// The password is wrong, or the user is unknown.
        public static let wrongPassword = Code("wrongPassword")
        /// The key distribution center does not know the server's service.
        public static let unknownService = Code("unknownService")
        /// The realm is unknown, or its key distribution center cannot be reached.
        public static let realmUnreachable = Code("realmUnreachable")
        /// The clocks of this machine and of the server or key distribution center differ too much.
        public static let clockSkew = Code("clockSkew")
        /// The library did not answer in time.
        public static let timedOut = Code("timedOut")
        /// The server's token is damaged, or is not an answer to ours.
        public static let invalidToken = Code("invalidToken")
        /// The server did not prove that it has the key of its service.
        public static let serverNotAuthenticated = Code("serverNotAuthenticated")
        /// The platform's library cannot do it.
        public static let unsupported = Code("unsupported")
        /// A name or setting is invalid.
        public static let invalidSetting = Code("invalidSetting")
        /// Another failure of the library; the message has its text.
        public static let failed = Code("failed")
    }

    /// The error's code.
    public let code: Code
    /// The problem, its place and the remedy. Contains no secret.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension KerberosError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
