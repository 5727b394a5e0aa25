/// The results of GSSAPI calls (RFC 2744 §3.9.1), and the errors for them.
enum GSSStatus {
    static let isUnfinished: UInt32 = 1

    static func isFailure(_ major: UInt32) -> Bool { major >> 16 != 0 }

    /// A lifetime; nil if it is unknown (`GSS_C_INDEFINITE`).
    static func duration(_ seconds: UInt32) -> Duration? {
        seconds == .max ? nil : Duration.seconds(1) * seconds
    }

    /// The kind of a failure.
    ///
    /// - Parameter text: the library's text. The numbers of Kerberos' own errors do not get through SPNEGO
    static func code(_ major: UInt32, _ text: String) -> KerberosError.Code {
        if let known = texts.first(where: { text.contains($0.text) }) { return known.code }
        // The routine's error is in bits 16…23.
        return switch (major >> 16) & 0xff {
        case 7: .noTicket
        case 11: .expired
        case 4: .serverNotAuthenticated
        case 6, 9, 10: .invalidToken
        default: .failed
        }
    }

    /// Parts of the texts of MIT's library and of Apple's.
    private static let texts: [(text: String, code: KerberosError.Code)] = [
        ("Clock skew", .clockSkew),
        ("icket expired", .expired),
        ("have expired", .expired),
        ("Server not found in Kerberos database", .unknownService),
        ("Server krbtgt", .unknownService),
        ("Client not found in Kerberos database", .wrongPassword),
        ("Preauthentication failed", .wrongPassword),
        ("Password incorrect", .wrongPassword),
        ("Decrypt integrity check failed", .wrongPassword),
        ("Cannot find KDC", .realmUnreachable),
        ("Cannot contact any KDC", .realmUnreachable),
        ("Cannot resolve", .realmUnreachable),
        ("Mutual authentication failed", .serverNotAuthenticated),
        ("isn't for us", .serverNotAuthenticated),
        ("No Kerberos credentials", .noTicket),
        ("no Kerberos credentials", .noTicket),
        ("No credentials cache", .noTicket),
        ("Matching credential not found", .noTicket),
        ("Client keytab", .noTicket),
        ("Keytab ", .noTicket),
    ]

    /// A remedy, with a space before it.
    static func advice(_ code: KerberosError.Code) -> String {
        switch code {
        case .noTicket: " Run kinit, or name a keytab or cache."
        case .expired: " Run kinit again."
        case .clockSkew: " Set the clock."
        case .wrongPassword: " Check the principal and the password."
        case .unknownService: " Check that the realm has a service for the host of the URL."
        case .realmUnreachable: " Check krb5.conf and the network."
        case .serverNotAuthenticated: " The server has another key than the realm, or is another server."
        default: ""
        }
    }
}
