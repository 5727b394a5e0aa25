internal import Crypto
internal import CryptoExtras
internal import HttpConvPlatform

/// The cost of turning a passcode into a key with scrypt (RFC 7914).
///
/// The vault stores them. A vault file may come from anywhere, so stored parameters are checked against
/// ``maximumMemory`` and ``maximumWork`` before any memory is allocated.
public struct ScryptParameters: Hashable, Sendable {
    /// N, the cost in processor time and memory: a power of two greater than 1.
    public let cost: Int
    /// r, in units of 128 bytes.
    public let blockSize: Int
    /// p, the number of repetitions.
    public let parallelism: Int

    /// The maximum memory of a derivation: 256 MiB.
    public static let maximumMemory = 256 << 20
    /// The maximum number of block operations (N × r × p): four times those of ``standard``.
    public static let maximumWork = 4 << 20

    /// N = 2^17, r = 8, p = 1: 128 MiB and some tenths of a second.
    public static let standard = ScryptParameters(unchecked: 1 << 17, 8, 1)

    /// Creates parameters within the limits; throws `.parametersRefused` for others.
    public init(cost: Int, blockSize: Int, parallelism: Int) throws(DataVaultError) {
        self.init(unchecked: cost, blockSize, parallelism)
        try check()
    }

    private init(unchecked cost: Int, _ blockSize: Int, _ parallelism: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    private func check() throws(DataVaultError) {
        let powerOfTwo = cost > 1 && cost & (cost - 1) == 0
        // Check the bounds of each factor first, so that no product overflows.
        let factors = cost <= 1 << 24 && (1...64).contains(blockSize) && (1...64).contains(parallelism)
        guard powerOfTwo, factors, 128 * blockSize * (cost + parallelism) <= Self.maximumMemory,
            cost * blockSize * parallelism <= Self.maximumWork
        else {
            throw DataVaultError(
                .parametersRefused,
                "The scrypt parameters N = \(cost), r = \(blockSize), p = \(parallelism) are refused: N must be a power "
                    + "of two, and memory and work within the limits.")
        }
    }

    /// The derived key. Slow: do not call it on the cooperative thread pool.
    func deriveKey(from passcode: [UInt8], salt: [UInt8], byteCount: Int = 32) throws(DataVaultError) -> SymmetricKey {
        do {
            return try KDF.Scrypt.deriveKey(
                from: passcode, salt: salt, outputByteCount: byteCount, rounds: cost, blockSize: blockSize,
                parallelism: parallelism)
        } catch {
            throw DataVaultError(
                .keyUnusable, "The key could not be derived: too little memory?", underlyingError: error)
        }
    }
}
