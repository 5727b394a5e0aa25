#if PostgreSQL

/// The reason why a storage in PostgreSQL failed. It is the `underlyingError` of
/// ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed``.
///
/// `message` says what happened, where, and what to do. It holds no password, key or token.
public struct PostgresStorageError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The connection string or a setting is invalid, or demands a connection without verified TLS.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The database cannot be reached now, or did not answer in time.
        public static let unavailable = Code("unavailable")
        /// The database's certificate is not the one of the configured host and authorities.
        public static let untrusted = Code("untrusted")
        /// The database refuses the login, or the role lacks a privilege.
        public static let notAuthorized = Code("notAuthorized")
        /// The database cannot be written: a standby, or a primary that became read-only. Nothing was changed.
        public static let readOnly = Code("readOnly")
        /// The database's disk is full. Nothing was changed.
        public static let diskFull = Code("diskFull")
        /// The keys are unusable: a passcode, or too few bytes.
        public static let keyUnusable = Code("keyUnusable")
        /// None of the keys belongs to this storage, or a row was written under a key that is missing here.
        public static let wrongKey = Code("wrongKey")
        /// The key was retired by ``PostgresTokenDatabase/reencrypt()``. Nothing was changed.
        public static let keyRetired = Code("keyRetired")
        /// A row is damaged, was tampered with, or was exchanged with another row.
        public static let damaged = Code("damaged")
        /// A row is older than one that this process has read: it was rolled back.
        public static let rolledBack = Code("rolledBack")
        /// The tables or a row were written by a newer version of this library.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// Another holder has taken the lease. Nothing was changed.
        public static let leaseLost = Code("leaseLost")
        /// A value or key is larger than the limit.
        public static let tooLarge = Code("tooLarge")
        /// The database was closed.
        public static let closed = Code("closed")
        /// The database answered with another error.
        public static let failed = Code("failed")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The database's code for the error (SQLSTATE), such as `53100`; nil if it did not answer with one.
    public let sqlState: String?
    /// The error below.
    public let underlyingError: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, sqlState: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.underlyingError = underlyingError
    }

    /// Whether the same operation may succeed a moment later: the database restarts, or another server takes over.
    public var isTemporary: Bool { code == .unavailable || code == .readOnly }
}

extension PostgresStorageError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description, "message": message]) }
}
#endif
