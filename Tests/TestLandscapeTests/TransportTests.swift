import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct TransportTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: ["--tlsv1.3", "--tls-max"])
    func curlTrustsTheAuthority(option: String) async throws {
        let file = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: file.url)
        let version = option == "--tls-max" ? [option, "1.2"] : [option]
        for origin in [LandscapeOrigin.secure, .secureOther] {
            for host in ["127.0.0.1", "localhost"] {
                let url = "https://\(host):\(landscape.port(origin))/json"
                let answer = try await Curl.run(version + ["--cacert", file.path, url])
                #expect(try answer.json()["greeting"] as? String == "hello", "\(answer.errors)")
            }
        }
    }

    @Test(arguments: [LandscapeOrigin.secure, .expired, .wrongName])
    func curlRefusesBadCertificates(origin: LandscapeOrigin) async throws {
        let file = try TemporaryFile("ca.pem")
        try landscape.certificates.writeAuthority(to: file.url)
        let url = landscape.urlString(origin, "/json")
        #expect(try await Curl.run(url).exitCode == 60)
        #expect(try await Curl.run("--cacert", file.path, url).exitCode == (origin == .secure ? 0 : 60))
        #expect(try await Curl.run("-k", url).exitCode == 0)
    }

    @Test func curlReusesAConnection() async throws {
        let url = landscape.urlString(.main, "/json")
        _ = try await Curl.run(url, url, url)
        #expect(Set(landscape.requests(path: "/json").map(\.connection)).count == 1)
        #expect(landscape.counters.acceptedConnections == 1)
        landscape.inject(.closeAfterResponse, at: "/json")
        _ = try await Curl.run(url, url)
        #expect(landscape.counters.acceptedConnections == 3)
    }

    @Test func recordsFieldsInOrderWithDuplicates() async throws {
        let url = landscape.urlString(.main, "/echo?q=%C3%A4&x=1")
        let answer = try await Curl.run(
            "-H", "X-One: 1", "-H", "x-two: a", "-H", "X-TWO: b", "-b", "k=v; l=w", "-d", "körper", url
        ).json()
        let request = try #require(landscape.requests(path: "/echo").first)
        #expect(request.target == "/echo?q=%C3%A4&x=1")
        #expect(request.method == "POST")
        #expect(request.values(of: "X-Two") == ["a", "b"])
        #expect(request.values(of: "cookie") == ["k=v; l=w"])
        #expect(request.fields.map(\.name).suffix(6).prefix(4) == ["Cookie", "X-One", "x-two", "X-TWO"])
        #expect(request.bodyLength == 7)
        #expect(answer["text"] as? String == "körper")
    }

    @Test func stopsWithHeldRequestsAndStreams() async throws {
        let landscape = try await Landscape.start()
        let gate = landscape.hold("/json")
        async let held = Curl.run(landscape.urlString(.main, "/json"))
        async let ticks = Curl.run(landscape.urlString(.secure, "/ticks?every=20"), "-k")
        try await gate.waitForWaiters(1)
        try await landscape.waitFor(count: 1, path: "/ticks")
        await landscape.stop()
        #expect(landscape.counters.openConnections == 0)
        _ = try await (held, ticks)
        #expect(try await Curl.run(landscape.urlString(.main, "/json")).exitCode == 7)
        await landscape.stop()
    }
}
