/// The numbers of RFC 2744, Appendix A, and of the extensions that MIT's library and Apple's share.
enum GSSFlags {
    static let delegation: UInt32 = 1
    static let mutual: UInt32 = 2
    /// Without it, SPNEGO would not protect its list of mechanisms (RFC 4178 §5).
    static let integrity: UInt32 = 32
    static let delegationByPolicy: UInt32 = 0x8000

    /// The flags of a login.
    static func wanted(_ delegation: KerberosLogin.Delegation) -> UInt32 {
        let flags = mutual | integrity
        return switch delegation {
        case .never: flags
        case .policy: flags | delegationByPolicy
        case .always: flags | Self.delegation
        }
    }
}
