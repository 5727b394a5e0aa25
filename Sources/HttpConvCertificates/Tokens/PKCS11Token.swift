import HttpConversation

/// A token in a slot, as its module describes it: a smart card, a USB key, or a software token.
public struct PKCS11Token: Hashable, Sendable {
    /// The label that its owner gave it.
    public let label: String
    /// The name of the maker, the model and the serial number; each may be empty.
    public let manufacturer: String, model: String, serial: String
    /// Whether the next wrong PIN locks it.
    public let isFinalTry: Bool

    let slot: UInt
    let needsLogin: Bool
    let isLocked: Bool
    /// Whether the PIN is entered on the device.
    let hasKeypad: Bool

    /// Whether both are the same device. Its label and its state may have changed.
    func isSameToken(as other: PKCS11Token) -> Bool {
        (manufacturer, model, serial) == (other.manufacturer, other.model, other.serial)
    }
}

extension PKCS11Token: CustomStringConvertible {
    /// The label, or the model; safe to show.
    public var description: String {
        "token \"\(TerminalText.sanitise(label.isEmpty ? model : label, limit: 40))\""
    }
}
