import Foundation
import NIOCore
import Testing

@testable import HttpConvWebStrategies

/// The addresses that a listener binds, on a machine that a test describes.
@Suite struct AddressBindingTests {
    /// The result for an address, by the number of the attempt.
    private final class Machine {
        var attempts: [String: Int] = [:]
        var open: Set<String> = []
        var next = 5000
        let failures: [String: (errno: Int32, count: Int)]

        init(_ failures: [String: (errno: Int32, count: Int)] = [:]) { self.failures = failures }

        func listen(_ address: String, _ port: Int) throws -> (String, port: Int) {
            attempts[address, default: 0] += 1
            if let failure = failures[address], attempts[address, default: 0] <= failure.count {
                throw IOError(errnoCode: failure.errno, reason: "bind")
            }
            next += port == 0 ? 1 : 0
            let actual = port == 0 ? next : port
            open.insert("\(address) \(actual)")
            return ("\(address) \(actual)", actual)
        }

        func run(port: Int) async throws -> [String] {
            try await AddressBinding.listen(at: ["4", "6"], port: port) {
                try listen($0, $1)
            } close: {
                open.remove($0)
            }.listeners
        }
    }

    @Test func bothGetOnePort() async throws {
        #expect(try await Machine().run(port: 0) == ["4 5001", "6 5001"])
        #expect(try await Machine().run(port: 80) == ["4 80", "6 80"])
    }

    @Test(arguments: [EADDRNOTAVAIL, EAFNOSUPPORT]) func aMissingFamilyIsLeftOut(errno: Int32) async throws {
        #expect(try await Machine(["6": (errno, 9)]).run(port: 0) == ["4 5001"])
        #expect(try await Machine(["4": (errno, 9)]).run(port: 0) == ["6 5001"])
        let none = Machine(["4": (errno, 9), "6": (errno, 9)])
        await #expect(throws: IOError.self) { try await none.run(port: 0) }
    }

    /// Another program has the port on the second address: another port is tried, if any will do.
    @Test func aPortThatIsFreeAtBothIsLookedFor() async throws {
        let busy = Machine(["6": (EADDRINUSE, 3)])
        #expect(try await busy.run(port: 0) == ["4 5004", "6 5004"])
        #expect(busy.open == ["4 5004", "6 5004"], "what was opened in vain is closed")
        let always = Machine(["6": (EADDRINUSE, 99)])
        await #expect(throws: AddressBinding.PortTaken.self) { try await always.run(port: 0) }
        #expect(always.attempts["6"] == AddressBinding.attempts && always.open.isEmpty)
    }

    @Test func aFixedPortIsTriedOnce() async throws {
        for address in ["4", "6"] {
            let machine = Machine([address: (EADDRINUSE, 1)])
            let error = await #expect(throws: AddressBinding.PortTaken.self) { try await machine.run(port: 80) }
            #expect(error?.address == address && error?.port == 80)
            #expect(machine.open.isEmpty && machine.attempts[address] == 1)
        }
    }

    @Test func otherErrorsEndIt() async throws {
        let machine = Machine(["6": (EACCES, 1)])
        await #expect(throws: IOError.self) { try await machine.run(port: 0) }
        #expect(machine.open.isEmpty)
    }
}
