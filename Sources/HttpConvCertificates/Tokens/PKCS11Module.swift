#if os(Linux)
import CPKCS11
import Dispatch
import HttpConvPlatform
import HttpConversation
import Synchronization

/// A loaded PKCS#11 module. All its calls run one after another on a queue of its own, because a token does one thing
/// at a time and may take seconds.
final class PKCS11Module: Sendable {
    /// Calls of the module, for work on its queue.
    ///
    /// Sendable without the compiler's proof: the table of functions is never changed once it is loaded, the module
    /// stays loaded for good, and only its queue calls it.
    struct Calls: @unchecked Sendable {
        let functions: pkcs11_functions
        let name: String
    }

    private static let loaded = Mutex<[String: PKCS11Module]>([:])
    /// p11-kit's own library speaks for all modules that the system has configured.
    private static let systems = "libp11-kit.so.0"

    private let calls: Calls
    private let queue = DispatchQueue(label: "HttpConvCertificates.PKCS11")

    private init(_ calls: Calls) { self.calls = calls }

    /// The module of a path, or p11-kit's. A process loads and initialises each once. Blocks.
    static func load(_ path: String?) throws(CertificateError) -> PKCS11Module {
        let name = path ?? systems
        let result = loaded.withLock { loaded -> Result<PKCS11Module, CertificateError> in
            if let known = loaded[name] { return .success(known) }
            return Result { () throws(CertificateError) in
                let module = PKCS11Module(try open(name))
                loaded[name] = module
                return module
            }
        }
        return try result.get()
    }

    private static func open(_ name: String) throws(CertificateError) -> Calls {
        let shown = TerminalText.sanitise(name)
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let advice =
                name == systems ? " Install p11-kit (Debian: libp11-kit0), or name a module by module-path." : ""
            throw CertificateError(.moduleUnusable, "The PKCS#11 module \(shown) cannot be loaded.\(advice)")
        }
        guard let functions = pkcs11_functions_of(library), functions.pointee.version.major == 2 else {
            throw CertificateError(.moduleUnusable, "The library \(shown) is not a PKCS#11 module of version 2.")
        }
        // CKF_OS_LOCKING_OK: the program has other threads.
        var settings = pkcs11_initialization()
        settings.flags = 2
        let result = functions.pointee.initialize?(&settings) ?? PKCS11Result.functionNotSupported.rawValue
        guard result == 0 || result == PKCS11Result.alreadyInitialized.rawValue else {
            throw CertificateError(
                .moduleUnusable, "The PKCS#11 module \(shown) cannot be used: \(PKCS11Result(rawValue: result)).")
        }
        return Calls(functions: functions.pointee, name: shown)
    }

    /// Runs work on the module's queue. It runs to its end, even if the task is cancelled.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (Calls) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [calls] in continuation.resume(with: Result { try body(calls) }) }
        }
    }
}

/// The result of a call (PKCS#11 2.40, CKR_…).
struct PKCS11Result: RawRepresentable, Hashable, CustomStringConvertible {
    let rawValue: UInt

    static let deviceRemoved = PKCS11Result(rawValue: 0x32)
    static let functionNotSupported = PKCS11Result(rawValue: 0x54)
    static let wrongPIN = PKCS11Result(rawValue: 0xA0)
    static let invalidPIN = PKCS11Result(rawValue: 0xA1)
    static let wrongPINLength = PKCS11Result(rawValue: 0xA2)
    static let pinExpired = PKCS11Result(rawValue: 0xA3)
    static let pinLocked = PKCS11Result(rawValue: 0xA4)
    static let sessionClosed = PKCS11Result(rawValue: 0xB0)
    static let sessionInvalid = PKCS11Result(rawValue: 0xB3)
    static let tokenNotPresent = PKCS11Result(rawValue: 0xE0)
    static let tokenNotRecognised = PKCS11Result(rawValue: 0xE1)
    static let alreadyLoggedIn = PKCS11Result(rawValue: 0x100)
    static let slotInvalid = PKCS11Result(rawValue: 0x3)
    static let alreadyInitialized = PKCS11Result(rawValue: 0x191)

    static let removed: Set<PKCS11Result> = [
        .deviceRemoved, .sessionClosed, .sessionInvalid, .tokenNotPresent, .tokenNotRecognised, .slotInvalid,
    ]

    var description: String { "result 0x\(String(rawValue, radix: 16))" }

    /// The error of a call.
    func error(_ doing: String, _ token: PKCS11Token) -> CertificateError {
        switch self {
        case .wrongPIN, .invalidPIN, .wrongPINLength:
            CertificateError(
                .wrongPassphrase,
                "The \(token) refused the PIN. Tokens allow a few tries only, so it is not tried again.")
        case .pinLocked:
            CertificateError(.pinLocked, "The PIN of the \(token) is locked: unlock it with the tool of its maker.")
        case .pinExpired:
            CertificateError(.pinLocked, "The PIN of the \(token) has expired: change it with the tool of its maker.")
        case _ where Self.removed.contains(self):
            CertificateError(.tokenRemoved, "The \(token) is not there any more: insert it again.")
        default: CertificateError(.tokenFailed, "The \(token) failed at \(doing) (\(self)).")
        }
    }
}
#endif
