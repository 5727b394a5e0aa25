#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Name servers that never answer, or are not there: the first phase in which a connection can end (security rule S30).
///
/// The system's resolver asks them, so the command runs in a network of its own with a name server of its own.
@Suite(.timeLimit(.minutes(1))) struct ResolvingTests {
    /// Its arguments: the directory of the files, whether there is a name server, and the command.
    private static let network = """
        import fcntl, pathlib, socket, struct, subprocess, sys
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        fcntl.ioctl(sockets[0], 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: the loopback device is up
        for name in ("resolv.conf", "nsswitch.conf"):
            subprocess.run(["/bin/mount", "--bind", sys.argv[1] + name, str(pathlib.Path("/etc", name).resolve())], check=True)
        if sys.argv[2] == "silent":
            sockets[1].bind(("127.0.0.1", 53))
        code = subprocess.run(sys.argv[3:], stdin=subprocess.DEVNULL).returncode
        sockets[1].setblocking(False)
        print("asked" if sys.argv[2] == "silent" and sockets[1].recv(512) else "not there")
        sys.exit(code)
        """

    private func run(_ server: String, _ arguments: [String]) async throws -> RunningCommand.Outcome {
        let sandbox = try Sandbox()
        let script = try sandbox.write(Self.network, to: "network.py")
        try sandbox.write("nameserver 127.0.0.1\noptions timeout:30 attempts:1\n", to: "resolv.conf", mode: 0o644)
        try sandbox.write("hosts: files dns\n", to: "nsswitch.conf", mode: 0o644)
        let namespaces = geteuid() == 0 ? ["-n", "-m"] : ["-r", "-n", "-m"]
        return try await RunningCommand(
            namespaces + ["/usr/bin/python3", script, sandbox.path(""), server, BuiltProduct.httpc] + arguments,
            in: sandbox, program: "/usr/bin/unshare"
        ).outcome()
    }

    /// The resolver itself would wait for 30 seconds.
    @Test(arguments: [
        ["http://name.test/"], ["https://name.test/"], ["-x", "http://name.test:1", "http://other.test/"],
    ])
    func silenceEndsByTheConnectTimeout(arguments: [String]) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try await run("silent", ["--connect-timeout", "1"] + arguments)
        #expect(outcome.status == 28 && outcome.errors.contains("connect timeout"), "\(outcome.errors)")
        #expect(outcome.text == "asked\n")
        #expect(clock.now - start < .seconds(20))
    }

    @Test(
        arguments: [(["http://name.test/"], 6), (["-x", "http://name.test:1", "http://other.test/"], 5)]
            as [([String], Int32)])
    func nobodyThereIsNoticedAtOnce(arguments: [String], status: Int32) async throws {
        let outcome = try await run("missing", ["--connect-timeout", "25"] + arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.text == "not there\n")
    }
}
#endif
