import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a server's configuration and contents into its directory.
struct Fixture {
    let server: RealServer
    let base: TestDirectory

    static func source(_ name: String) -> URL { package.appending(path: "Tests/RealServerTests/Fixtures/\(name)") }

    /// The directory of the package.
    static let package = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    static let hello = "hello\n"
    static let long = (1...3000).map { "line \($0)\n" }.joined()

    func write() async throws {
        let files = FileManager.default
        for folder in ["", "run", "logs", "www", "cgi", "dav", "tmp", "data", "cas", "git"] {
            let url = server.directory.appending(path: folder)
            try files.createDirectory(at: url, withIntermediateDirectories: true)
            // The servers' workers write here, under any user.
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: url.path)
        }
        for (fixture, name) in server.kind.configurationFiles { try configure(fixture, as: name) }
        for script in ["sink.py", "form.py", "cookies.py", "git.py", "index.py", "cluster.py", "bearer_check.py"] {
            let target = server.directory.appending(path: "cgi/\(script)")
            try files.copyItem(at: Self.source(script), to: target)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target.path)
        }
        try put("www/hello.txt", Array(Self.hello.utf8))
        try put("www/long.txt", Array(Self.long.utf8))
        try files.copyItem(at: base.serverCertificate, to: server.directory.appending(path: "server.pem"))
        try files.copyItem(at: base.serverKey, to: server.directory.appending(path: "server.key"))
        try files.copyItem(at: base.authority, to: server.directory.appending(path: "ca.pem"))
        for (name, bytes) in try await TestUsers.files { try put(name, bytes) }
        if server.kind == .squid {
            try put("htpasswd-proxy", try await TestUsers.proxyPasswordFile())
            try put("htdigest-proxy", try await TestUsers.proxyDigestFile())
        }
        if server.kind == .registry { try put("htpasswd-bcrypt", try await TestUsers.bcryptPasswordFile()) }
        if server.kind == .saml { try await SAMLFixture.write(into: self) }
        if server.kind == .wordpress { try writeWordPress() }
    }

    /// Fills in a template.
    ///
    /// - Parameter extra: values in addition to the common ones
    func configure(_ fixture: String, as name: String, with extra: [String: String] = [:]) throws {
        var text = try String(contentsOf: Self.source(fixture), encoding: .utf8)
        var values = [
            "DIR": server.directory.path, "MODULES": "/usr/lib/apache2/modules",
            "USER": geteuid() == 0 ? server.kind.userDirectives : "",
            "AS": geteuid() == 0 ? "setpriv --reuid=www-data --regid=www-data --clear-groups --" : "",
            "PASSWORD": TestUsers.alice.password,
            "PROXYUSERDIRECTIVE": geteuid() == 0 ? "cache_effective_user proxy" : "",
            "PYTHON": server.kind.executable, "SOURCE": Self.source("").path,
        ]
        (values["PROXYUSER"], values["PROXYPASSWORD"]) = (RealProxy.user.name, RealProxy.user.password)
        values.merge(extra) { $1 }
        for (index, port) in server.ports.enumerated() { values["PORT\(index + 1)"] = String(port) }
        for (key, value) in values { text = text.replacingOccurrences(of: "@\(key)@", with: value) }
        try put(name, Array(text.utf8))
    }

    /// Makes a folder in which WordPress finds a configuration of ours.
    private func writeWordPress() throws {
        let site = server.directory.appending(path: "site")
        for name in ["wp-settings.php", "wp-includes", "wp-admin"] {
            try FileManager.default.createSymbolicLink(
                atPath: site.appending(path: name).path, withDestinationPath: "/usr/share/wordpress/\(name)")
        }
    }

    func put(_ name: String, _ bytes: [UInt8]) throws {
        let file = server.directory.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }
}
