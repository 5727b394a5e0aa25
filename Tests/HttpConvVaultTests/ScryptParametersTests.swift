import Crypto
import Foundation
import Testing

@testable import HttpConvVault

@Suite struct ScryptParametersTests {
    struct Vector: Sendable {
        let passcode, salt: String
        let cost, blockSize, parallelism: Int
        let result: String
    }

    /// RFC 7914, section 12, except for the vector that takes 1 GiB.
    static let vectors = [
        Vector(
            passcode: "", salt: "", cost: 16, blockSize: 1, parallelism: 1,
            result: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
        Vector(
            passcode: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelism: 16,
            result: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
        Vector(
            passcode: "pleaseletmein", salt: "SodiumChloride", cost: 16384, blockSize: 8, parallelism: 1,
            result: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
    ]

    @Test(arguments: vectors) func knownAnswers(_ vector: Vector) throws {
        let parameters = try ScryptParameters(
            cost: vector.cost, blockSize: vector.blockSize, parallelism: vector.parallelism)
        let key = try parameters.deriveKey(
            from: Array(vector.passcode.utf8), salt: Array(vector.salt.utf8), byteCount: 64)
        #expect(key.withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() } == vector.result)
    }

    @Test(arguments: [
        (0, 8, 1), (1, 8, 1), (3, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 8, 0), (16, -8, 1), (1 << 24, 8, 1),
        (1 << 21, 8, 1), (1 << 62, 8, 1), (Int.max, Int.max, Int.max), (16, 1 << 40, 1), (16, 1, 1 << 40),
        (1 << 18, 8, 64), (Int.min, 1, 1),
    ])
    func refused(_ cost: Int, _ blockSize: Int, _ parallelism: Int) async {
        let thrown = await code {
            _ = try ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
        }
        #expect(thrown == .parametersRefused)
    }

    @Test func standardIsWithinItsOwnLimits() throws {
        let standard = ScryptParameters.standard
        let same = try ScryptParameters(
            cost: standard.cost, blockSize: standard.blockSize, parallelism: standard.parallelism)
        #expect(same == standard)
    }
}
