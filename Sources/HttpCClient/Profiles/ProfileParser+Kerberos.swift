import HttpC
import HttpCTerminal
import HttpConvFormats

extension ProfileParser {
    func kerberos(_ table: ConfigurationTable) throws(CommandFailure) -> KerberosTable {
        try table.allow(
            ["cache", "keytab", "principal", "service-name", "naming", "delegation", "proxy", "plain-http"]
                + Self.keys(of: "password"))
        var kerberos = KerberosTable()
        kerberos.principal = try table.string("principal")
        kerberos.service = try table.string("service-name")
        kerberos.naming = try choice(table, "naming")
        kerberos.delegation = try choice(table, "delegation")
        kerberos.isForProxy = try table.boolean("proxy") ?? false
        kerberos.allowsPlainHTTP = try table.boolean("plain-http") ?? false
        var sources: [KerberosTable.Source] = []
        // A name without a type is a file's.
        if let cache = try table.string("cache") {
            sources.append(.cache(cache.contains(":") ? cache : "FILE:\(absolute(cache))"))
        }
        if let keytab = try table.string("keytab") { sources.append(.keytab(absolute(keytab))) }
        if let password = try secret(table, "password") { sources.append(.password(password)) }
        if sources.count > 1 {
            try refuse(" \(table.shownName) names more than one of cache, keytab and password.")
        }
        kerberos.source = sources.first
        if case .password? = kerberos.source, kerberos.principal == nil {
            try refuse(" \(table.shownName) has a password and no principal, such as \"alice@EXAMPLE.COM\".")
        }
        do throws(KerberosError) {
            _ = try kerberos.login(KerberosSettings(), password: Redacted("checked later"))
        } catch {
            try refuse(" \(table.shownName) cannot be used: \(error.message)")
        }
        return kerberos
    }
}
