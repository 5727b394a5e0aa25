#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Name servers that never answer, or are not there: the first phase in which a connection can end (security rule S30).
///
/// The system's resolver asks them, so the command runs in a network of its own with a name server of its own.
@Suite(.timeLimit(.minutes(1))) struct ResolvingTests {
    /// Its arguments: the directory of the files, the kind of name server, and the command. A partial name server knows
    /// fast.test only, where a server answers on port 80, and is silent about other names.
    private static let network = #"""
        import fcntl, pathlib, socket, struct, subprocess, sys, threading
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        fcntl.ioctl(sockets[0], 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: the loopback device is up
        for name in ("resolv.conf", "nsswitch.conf"):
            subprocess.run(["/bin/mount", "--bind", sys.argv[1] + name, str(pathlib.Path("/etc", name).resolve())], check=True)
        if sys.argv[2] != "missing":
            sockets[1].bind(("127.0.0.1", 53))
        def resolve():
            known = b"\x04fast\x04test\x00"
            while True:
                query, peer = sockets[1].recvfrom(512)
                if query[12:].startswith(known):
                    question = query[12:16 + len(known)]
                    count = question.endswith(b"\x00\x01\x00\x01")
                    address = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x01" * count
                    head = query[:2] + struct.pack(">5H", 0x8180, 1, count, 0, 0)
                    sockets[1].sendto(head + question + address, peer)
        def serve():
            while True:
                connection = server.accept()[0]
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nfast\n")
                connection.close()
        if sys.argv[2] == "partial":
            server = socket.create_server(("127.0.0.1", 80))
            for work in (resolve, serve):
                threading.Thread(target=work, daemon=True).start()
        code = subprocess.run(sys.argv[3:], stdin=subprocess.DEVNULL).returncode
        if sys.argv[2] != "partial":
            sockets[1].setblocking(False)
            print("asked" if sys.argv[2] == "silent" and sockets[1].recv(512) else "not there")
        sys.exit(code)
        """#

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
        let outcome = try await run("silent", ["--connect-timeout", "3"] + arguments)
        #expect(outcome.status == 28 && outcome.errors.contains("connect timeout"), "\(outcome.errors)")
        #expect(outcome.text == "asked\n")
        #expect(clock.now - start < .seconds(20))
    }

    /// Nor do they delay TLS with an address.
    @Test(arguments: [[], ["-4"]])
    func namesWithoutAnAnswerDelayNoOther(options: [String]) async throws {
        let silent = (1...4).map { "http://slow\($0).test/" }
        let outcome = try await run(
            "partial",
            options + ["-Z", "--connect-timeout", "6"] + silent + ["http://fast.test/", "https://127.0.0.1:80/"])
        #expect(outcome.text == "fast\n")
        #expect(outcome.errors.contains("127.0.0.1:80 does not speak TLS"), "\(outcome.errors)")
        #expect(outcome.errors.components(separatedBy: "connect timeout").count - 1 == silent.count)
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
