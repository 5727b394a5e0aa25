import Foundation
import Synchronization
import TestSupport

/// The directory of a test run. It is readable for the servers' workers, which run as another user under root.
struct TestDirectory: Sendable {
    let url: URL
    /// The certificate of the servers' authority, PEM.
    let authority: URL
    let serverCertificate: URL
    let serverKey: URL
    private let clients = Clients()

    init() async throws {
        // TMPDIR may be closed to other users, and the path of Apache's socket must be short.
        let name = "httpc-real-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0...UInt32.max))"
        url = URL(filePath: "/tmp").appending(path: name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        authority = url.appending(path: "ca.pem")
        serverCertificate = url.appending(path: "server.pem")
        serverKey = url.appending(path: "server.key")
        try await makeCertificates()
    }

    /// A file for one test.
    func file(_ name: String, _ contents: [UInt8]? = nil) throws -> URL {
        let file = url.appending(path: "\(UInt32.random(in: 0...UInt32.max))-\(name)")
        if let contents { try Data(contents).write(to: file) }
        return file
    }

    /// A client certificate that the servers accept, or one of an unknown authority: `client.p12` with the passphrase
    /// `secret`, `client.pem` and `client.key`, in a folder that tests share. Made once, because RSA keys take long.
    func client(_ name: String, isKnown: Bool = true) async throws -> URL {
        let key = "\(name) \(isKnown)"
        if let folder = clients.folders.withLock({ $0[key] }) { return folder }
        let folder = try await newClient(name, isKnown: isKnown, key: ["-newkey", "rsa:2048"])
        clients.folders.withLock { $0[key] = folder }
        return folder
    }

    private final class Clients: Sendable {
        let folders = Mutex<[String: URL]>([:])
    }

    /// A client certificate with a key of this kind, in a folder of its own.
    func newClient(_ name: String, isKnown: Bool = true, key kind: [String]) async throws -> URL {
        let folder = url.appending(path: "\(name)-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let path = { (file: String) in folder.appending(path: file).path }
        let (certificate, key, request) = (path("client.pem"), path("client.key"), path("client.csr"))
        let new = kind + ["-nodes", "-keyout", key, "-subj", "/O=Test/CN=\(name)"]
        if isKnown {
            try await openssl(["req", "-new"] + new + ["-out", request])
            let authorityKey = url.appending(path: "ca.key").path
            try await openssl([
                "x509", "-req", "-in", request, "-CA", authority.path, "-CAkey", authorityKey, "-CAcreateserial",
                "-out", certificate, "-days", "2",
            ])
        } else {
            try await openssl(["req", "-x509"] + new + ["-out", certificate, "-days", "2"])
        }
        try await openssl([
            "pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", path("client.p12"), "-passout",
            "pass:secret",
        ])
        return folder
    }

    private func makeCertificates() async throws {
        let key = url.appending(path: "ca.key").path
        let request = url.appending(path: "server.csr").path
        let names = url.appending(path: "names.cnf").path
        try Data("subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.example.com\n".utf8).write(to: URL(filePath: names))
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try await openssl(
            ["req", "-x509"] + curve + ["-keyout", key, "-out", authority.path, "-days", "2", "-subj", "/CN=Test CA"])
        try await openssl(
            ["req", "-new"] + curve + ["-keyout", serverKey.path, "-out", request, "-subj", "/CN=127.0.0.1"])
        try await openssl([
            "x509", "-req", "-in", request, "-CA", authority.path, "-CAkey", key, "-CAcreateserial",
            "-out", serverCertificate.path, "-days", "2", "-extfile", names,
        ])
    }

    private func openssl(_ arguments: [String]) async throws {
        let outcome = try await Program.run("/usr/bin/openssl", arguments)
        guard outcome.status == 0 else { throw SetupFailure("openssl \(arguments): \(outcome.errors)") }
    }
}
