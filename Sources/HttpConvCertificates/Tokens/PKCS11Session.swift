#if os(Linux)
import CPKCS11
import HttpConversation

/// A session with a token. Its calls block, and run on the module's queue.
struct PKCS11Session: ~Copyable {
    /// An object's class (CKO_…).
    enum Class: UInt { case certificate = 1, privateKey = 3 }
    /// An attribute (CKA_…).
    enum Attribute: UInt {
        case `class` = 0, label = 3, value = 0x11, subject = 0x101, id = 0x102, alwaysAuthenticates = 0x202
    }
    /// The user of a login (CKU_…).
    enum User: UInt { case user = 1, context = 2 }

    /// The largest value that is read, in bytes.
    private static let longestValue: UInt = 64 << 10
    private static let mostObjects: UInt = 256

    /// The token, as it was described when the session was opened.
    let token: PKCS11Token
    private let functions: pkcs11_functions
    private let handle: UInt

    /// Opens a session with a token.
    ///
    /// - Throws: ``CertificateError/Code/tokenRemoved`` if the token's slot is empty or has another token
    init(_ calls: PKCS11Module.Calls, _ token: PKCS11Token) throws(CertificateError) {
        let functions = calls.functions
        var handle: UInt = 0
        // CKF_SERIAL_SESSION; the session only reads.
        let result = functions.open_session?(token.slot, 4, nil, nil, &handle)
        try Self.check(result, "opening a session", token)
        // A session ends with its token, so the slot is read after the session was opened.
        guard let present = Self.token(in: token.slot, calls), present.isSameToken(as: token) else {
            _ = functions.close_session?(handle)
            throw PKCS11Result.tokenNotPresent.error("opening a session", token)
        }
        self.functions = functions
        self.handle = handle
        self.token = present
    }

    deinit { _ = functions.close_session?(handle) }

    private static func check(_ result: UInt?, _ doing: String, _ token: PKCS11Token) throws(CertificateError) {
        let result = PKCS11Result(rawValue: result ?? PKCS11Result.functionNotSupported.rawValue)
        guard result.rawValue != 0 else { return }
        throw result.error(doing, token)
    }

    /// The tokens that are present. The number of slots is bounded.
    static func tokens(_ calls: PKCS11Module.Calls) -> [PKCS11Token] {
        var count: UInt = 64
        var slots = [UInt](repeating: 0, count: Int(count))
        guard let get = calls.functions.get_slots, get(1, &slots, &count) == 0 else { return [] }
        return slots.prefix(Int(clamping: count)).compactMap { token(in: $0, calls) }
    }

    private static func token(in slot: UInt, _ calls: PKCS11Module.Calls) -> PKCS11Token? {
        var info = pkcs11_token_info()
        guard let read = calls.functions.get_token_info, read(slot, &info) == 0 else { return nil }
        return PKCS11Token(
            label: text(info.label), manufacturer: text(info.manufacturer), model: text(info.model),
            serial: text(info.serial), isFinalTry: info.flags & 0x20000 != 0, slot: slot,
            needsLogin: info.flags & 0x4 != 0, isLocked: info.flags & 0x40000 != 0,
            hasKeypad: info.flags & 0x100 != 0)
    }

    private static func text<Bytes>(_ bytes: Bytes) -> String {
        withUnsafeBytes(of: bytes) { bytes in
            let end = bytes.lastIndex { $0 != 0x20 && $0 != 0 }.map { $0 + 1 } ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    /// A PIN for logins.
    struct PIN {
        /// The PIN; nil if it is entered on the device.
        let text: Redacted<String>?
        /// Whether nobody is asked for it. Such a PIN never uses the last try.
        let isPrepared: Bool
    }

    /// Logs in, unless the PIN is locked, or a prepared PIN would use the last try.
    func logIn(_ pin: PIN, as user: User = .user) throws(CertificateError) {
        guard !token.isLocked else { throw PKCS11Result.pinLocked.error("logging in", token) }
        guard pin.text == nil || !pin.isPrepared || !token.isFinalTry else {
            throw CertificateError(
                .pinLocked,
                "The next wrong PIN locks the \(token), so a prepared PIN is not tried: log in once by hand.")
        }
        let pin = pin.text?.value
        var bytes = Array((pin ?? "").utf8)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let count = UInt(bytes.count)
        let result = bytes.withUnsafeMutableBufferPointer { buffer in
            functions.login?(handle, user.rawValue, pin == nil ? nil : buffer.baseAddress, count)
        }
        guard result != PKCS11Result.alreadyLoggedIn.rawValue else { return }
        try Self.check(result, "logging in", token)
    }

    /// The objects of a class with these attributes.
    func objects(_ kind: Class, _ wanted: [Attribute: [UInt8]]) throws(CertificateError) -> [UInt] {
        var values = wanted.map { ($0.key.rawValue, $0.value) }
        values.append((Attribute.class.rawValue, withUnsafeBytes(of: kind.rawValue) { Array($0) }))
        var found = [UInt](repeating: 0, count: Int(Self.mostObjects))
        var count: UInt = 0
        let buffers = values.map { UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max($0.1.count, 1)) }
        defer { for buffer in buffers { buffer.deallocate() } }
        var template = zip(values, buffers).map { value, buffer in
            _ = buffer.initialize(from: value.1 + (value.1.isEmpty ? [0] : []))
            return pkcs11_attribute(type: value.0, value: buffer.baseAddress, length: UInt(value.1.count))
        }
        try Self.check(functions.find_begin?(handle, &template, UInt(template.count)), "finding objects", token)
        let result = functions.find?(handle, &found, Self.mostObjects, &count)
        _ = functions.find_end?(handle)
        try Self.check(result, "finding objects", token)
        return Array(found.prefix(Int(clamping: count)))
    }

    /// The value of an attribute. Returns nil if the object has none, or a longer one than any certificate.
    func value(_ attribute: Attribute, of object: UInt) -> [UInt8]? {
        var wanted = pkcs11_attribute(type: attribute.rawValue, value: nil, length: 0)
        guard functions.get_attributes?(handle, object, &wanted, 1) == 0, wanted.length <= Self.longestValue,
            let length = Int(exactly: wanted.length)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        let isRead = bytes.withUnsafeMutableBytes { buffer in
            var read = pkcs11_attribute(type: attribute.rawValue, value: buffer.baseAddress, length: UInt(buffer.count))
            return functions.get_attributes?(handle, object, &read, 1) == 0 && read.length == buffer.count
        }
        return isRead ? bytes : nil
    }

    /// Signs a digest, or what the mechanism takes. The session's user must be logged in.
    ///
    /// - Parameter pin: for a key that asks for it before each signature
    func sign(_ input: [UInt8], _ mechanism: PKCS11Mechanism, with key: UInt, pin: PIN) throws(CertificateError)
        -> [UInt8]
    {
        var pss = mechanism.pss ?? pkcs11_pss()
        let hasParameter = mechanism.pss != nil
        let begun = withUnsafeMutablePointer(to: &pss) { pss in
            var wanted = pkcs11_mechanism(
                type: mechanism.type, parameter: hasParameter ? UnsafeMutableRawPointer(pss) : nil,
                length: hasParameter ? UInt(MemoryLayout<pkcs11_pss>.size) : 0)
            return functions.sign_begin?(handle, &wanted, key)
        }
        try Self.check(begun, "signing with \(mechanism.name)", token)
        if value(.alwaysAuthenticates, of: key)?.first == 1 { try logIn(pin, as: .context) }
        var input = input
        var signature = [UInt8](repeating: 0, count: 2048)
        var length = UInt(signature.count)
        let result = functions.sign?(handle, &input, UInt(input.count), &signature, &length)
        try Self.check(result, "signing with \(mechanism.name)", token)
        return Array(signature.prefix(Int(clamping: length)))
    }
}

/// The mechanism by which a token makes a signature of TLS.
struct PKCS11Mechanism {
    /// CKM_…
    let type: UInt
    let name: String
    var pss: pkcs11_pss?
}
#endif
