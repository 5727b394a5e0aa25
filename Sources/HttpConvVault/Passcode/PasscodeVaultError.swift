/// The reason why an operation of a passcode vault failed.
///
/// `message` says what happened, where, and what to do. Neither it nor any description holds a passcode, a key or a
/// value.
public struct PasscodeVaultError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The directory has no vault.
        public static let notFound = Code("notFound")
        /// The directory has a vault or another database already.
        public static let alreadyExists = Code("alreadyExists")
        /// The vault is locked, and has to be unlocked first.
        public static let locked = Code("locked")
        /// The passcode is wrong; ``PasscodeVaultError/attemptsLeft`` says how many tries are left.
        public static let wrongPasscode = Code("wrongPasscode")
        /// The key belongs to another vault. It did not count as a try.
        public static let wrongKey = Code("wrongKey")
        /// The vault was destroyed: after the last wrong passcode, or on request. Make a new one.
        public static let wiped = Code("wiped")
        /// The vault is unlocked, and its passcode must be changed: it is too old, or violates the policy.
        public static let expired = Code("expired")
        /// The passcode violates the policy: ``PasscodeVaultError/violations``.
        public static let policyViolated = Code("policyViolated")
        /// The new passcode is the old one.
        public static let unchanged = Code("unchanged")
        /// The vault has a passcode, or needs one, and none was given.
        public static let passcodeNeeded = Code("passcodeNeeded")
        /// A passcode was given for a vault that has none. It did not count as a try.
        public static let noPasscode = Code("noPasscode")
        /// The policy contradicts itself.
        public static let contradictoryPolicy = Code("contradictoryPolicy")
        /// The passcode cannot be tried, for lack of memory. It did not count as a try.
        public static let passcodeUnusable = Code("passcodeUnusable")
        /// A file or directory can be read or written by others, or belongs to another user.
        public static let insecurePermissions = Code("insecurePermissions")
        /// A link or special file is in the place of a regular file or directory of our own.
        public static let unsafeFile = Code("unsafeFile")
        /// The vault was written in a format that this version does not know.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// A file of the vault, or a value in it, is damaged or was tampered with.
        public static let damaged = Code("damaged")
        /// A value could not be encoded.
        public static let invalidValue = Code("invalidValue")
        /// Other processes used the vault for longer than ``PasscodeVaultConfiguration/busyTimeout``. Nothing was
        /// changed.
        public static let busy = Code("busy")
        /// The file system or a file cannot be written. No passcode was tried.
        public static let readOnly = Code("readOnly")
        /// The disk or quota is full. No passcode was tried.
        public static let diskFull = Code("diskFull")
        /// Another failure of file system or database.
        public static let ioFailure = Code("ioFailure")
        /// The task was cancelled. Nothing was changed.
        public static let cancelled = Code("cancelled")
        /// The platform cannot release the key by fingerprint or face, or the policy forbids it.
        public static let biometryUnavailable = Code("biometryUnavailable")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The number of tries left after a wrong passcode, before the vault is wiped; nil: unlimited.
    public let attemptsLeft: Int?
    /// The rules that a passcode breaks.
    public let violations: [PasswordRule]
    /// The error below, such as a `DataVaultError`.
    public let underlyingError: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, attemptsLeft: Int? = nil, violations: [PasswordRule] = [],
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.attemptsLeft = attemptsLeft
        self.violations = violations
        self.underlyingError = underlyingError
    }
}

extension PasscodeVaultError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description, "message": message]) }
}
