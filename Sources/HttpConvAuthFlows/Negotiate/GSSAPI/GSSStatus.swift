/// The results of GSSAPI calls (RFC 2744 §3.9.1), and the errors that they are.
enum GSSStatus {
    static let isUnfinished: UInt32 = 1

    /// The kind of a failure; nil: the call succeeded.
    static func code(_ major: UInt32, _ minor: UInt32) -> KerberosError.Code? {
        // The routine's error in bits 16…23, the caller's in 24…31.
        let routine = (major >> 16) & 0xff
        guard routine != 0 || major >> 24 != 0 else { return nil }
        if let known = kerberos[Int32(bitPattern: minor)] { return known }
        return switch routine {
        case 7: .noTicket
        case 11: .expired
        case 4: .serverNotAuthenticated
        case 6, 9, 10: .invalidToken
        default: .failed
        }
    }

    /// Errors of libkrb5, by number.
    private static let kerberos: [Int32: KerberosError.Code] = [
        -1_765_328_378: .wrongPassword,  // the client is not in the database
        -1_765_328_377: .unknownService,
        -1_765_328_360: .wrongPassword,  // preauthentication failed
        -1_765_328_354: .wrongPassword,  // the answer cannot be decrypted
        -1_765_328_353: .serverNotAuthenticated,  // KRB5KRB_AP_ERR_BAD_INTEGRITY
        -1_765_328_352: .expired,
        -1_765_328_347: .clockSkew,
        -1_765_328_343: .serverNotAuthenticated,  // KRB5KRB_AP_ERR_MODIFIED
        -1_765_328_230: .realmUnreachable,
        -1_765_328_228: .realmUnreachable,
        -1_765_328_243: .noTicket,  // nothing in the cache
        -1_765_328_203: .noTicket,  // no key in the keytab
        -1_765_328_189: .noTicket,  // no such cache
        -1_765_328_174: .noTicket,  // no such keytab
    ]

    /// A remedy, with a space before it.
    static func advice(_ code: KerberosError.Code) -> String {
        switch code {
        case .noTicket: " Run kinit, or name a keytab or cache."
        case .expired: " Run kinit again."
        case .clockSkew: " Set the clock."
        case .wrongPassword: " Look at principal and password."
        case .unknownService: " Does the host of the URL have a service in the realm (--service-name, naming)?"
        case .realmUnreachable: " Look at krb5.conf and at the network."
        case .serverNotAuthenticated: " The server has another key than the realm, or is another server."
        default: ""
        }
    }
}
