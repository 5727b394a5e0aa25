/// Why a vault did not do what was asked.
///
/// `message` says what happened, where, and what to do; neither it nor any description holds a key, a passcode, a record
/// key or a value.
public struct DataVaultError: Error, Sendable {
    /// What went wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// There is no vault at the place given.
        public static let notFound = Code("notFound")
        /// There is a vault at the place given already.
        public static let alreadyExists = Code("alreadyExists")
        /// The passcode or key does not open this vault, or the wrapped data key was tampered with: the two look alike.
        public static let wrongKey = Code("wrongKey")
        /// The key or passcode cannot be had or used: a missing variable, an unreadable file, too few bytes.
        public static let keyUnusable = Code("keyUnusable")
        /// A file or directory can be read or written by others, or belongs to somebody else.
        public static let insecurePermissions = Code("insecurePermissions")
        /// A link or special file where a regular file or directory of our own must be.
        public static let unsafeFile = Code("unsafeFile")
        /// The vault was written in a format that this version does not know.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// The scrypt parameters are outside what is accepted.
        public static let parametersRefused = Code("parametersRefused")
        /// A record was tampered with, moved or cut, or the database is damaged or no vault.
        public static let damaged = Code("damaged")
        /// Somebody else kept the database locked for longer than the busy timeout. Nothing was changed.
        public static let locked = Code("locked")
        /// The file system or file cannot be written. Nothing was changed.
        public static let readOnly = Code("readOnly")
        /// The disk or quota is full. Nothing was changed.
        public static let diskFull = Code("diskFull")
        /// Another failure of file system or database.
        public static let ioFailure = Code("ioFailure")
        /// A newer lease was given out since: what the former holder wants to write is refused.
        public static let leaseLost = Code("leaseLost")
        /// The record is not at the version expected.
        public static let versionConflict = Code("versionConflict")
        /// A record key or value is larger than the limit.
        public static let tooLarge = Code("tooLarge")
        /// An argument makes no sense.
        public static let invalidArgument = Code("invalidArgument")
        /// The vault's key was changed by somebody else at the same moment.
        public static let keyChanged = Code("keyChanged")
        /// The task was cancelled. Nothing was changed.
        public static let cancelled = Code("cancelled")
        /// The handle was closed.
        public static let closed = Code("closed")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// The error below, such as a ``SQLiteFailure`` or ``SystemFailure``.
    public let underlyingError: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }
}

extension DataVaultError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description, "message": message]) }
}
