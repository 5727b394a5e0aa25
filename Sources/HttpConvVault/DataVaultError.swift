/// The reason why an operation of a vault failed.
///
/// `message` says what happened, where, and what to do. Neither it nor any description holds a key, a passcode, a
/// record key or a value.
public struct DataVaultError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The directory has no vault.
        public static let notFound = Code("notFound")
        /// The directory has a vault already.
        public static let alreadyExists = Code("alreadyExists")
        /// The passcode or key does not open this vault, or the wrapped data key was tampered with: the two are
        /// indistinguishable.
        public static let wrongKey = Code("wrongKey")
        /// The key or passcode is missing or invalid: a missing variable, an unreadable file, too few bytes.
        public static let keyUnusable = Code("keyUnusable")
        /// A file or directory can be read or written by others, or belongs to another user.
        public static let insecurePermissions = Code("insecurePermissions")
        /// A link or special file is in the place of a regular file or directory of our own.
        public static let unsafeFile = Code("unsafeFile")
        /// The vault was written in a format that this version does not know.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// The scrypt parameters exceed the limits.
        public static let parametersRefused = Code("parametersRefused")
        /// A record was tampered with, moved or cut, or the database is damaged or is not a vault.
        public static let damaged = Code("damaged")
        /// The database was locked for longer than the busy timeout. Nothing was changed.
        public static let locked = Code("locked")
        /// The file system or file cannot be written. Nothing was changed.
        public static let readOnly = Code("readOnly")
        /// The disk or quota is full. Nothing was changed.
        public static let diskFull = Code("diskFull")
        /// Another failure of file system or database.
        public static let ioFailure = Code("ioFailure")
        /// A newer lease was granted meanwhile; the former holder's write is refused.
        public static let leaseLost = Code("leaseLost")
        /// The record has another version than expected.
        public static let versionConflict = Code("versionConflict")
        /// A record key or value is larger than the limit.
        public static let tooLarge = Code("tooLarge")
        /// An argument is invalid.
        public static let invalidArgument = Code("invalidArgument")
        /// The vault's key was changed concurrently.
        public static let keyChanged = Code("keyChanged")
        /// The task was cancelled. Nothing was changed.
        public static let cancelled = Code("cancelled")
        /// The handle was closed.
        public static let closed = Code("closed")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The error below, such as a ``SQLiteError`` or ``SystemError``.
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

/// The result codes of a failed SQLite call (sqlite.org/rescode.html), without statement and arguments.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code, such as 13 for a full disk.
    public let code: Int32
    /// The extended result code, such as 778 for a failed write.
    public let extendedCode: Int32
    /// The `errno` of the failed system call; 0 if there was none.
    let systemNumber: Int32

    init(code: Int32, extendedCode: Int32, systemNumber: Int32 = 0) {
        (self.code, self.extendedCode, self.systemNumber) = (code, extendedCode, systemNumber)
    }

    public var description: String { "SQLite result code \(code), extended \(extendedCode)" }

    /// The error of a call on a closed connection (`SQLITE_MISUSE`).
    static let closed = SQLiteError(code: 21, extendedCode: 21)
}

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, such as `open`.
    public let call: String
    /// The value of `errno`.
    public let number: Int32

    public var description: String { "\(call) failed with error \(number)" }
}
