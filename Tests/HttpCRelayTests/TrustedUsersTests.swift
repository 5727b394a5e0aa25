import HttpConvSystem
import Testing

@Suite struct TrustedUsersTests {
    @Test func theyAreTheProcesssUserAndRoot() {
        #expect(TrustedUsers.all(of: 1000, [:]) == [1000, 0])
        #expect(TrustedUsers.all(of: 0, [:]) == [0])
    }

    @Test func theCallerOfSudoCountsForRootOnly() {
        #expect(TrustedUsers.all(of: 0, ["SUDO_UID": "1001"]) == [0, 1001])
        #expect(TrustedUsers.all(of: 1000, ["SUDO_UID": "1001"]) == [1000, 0])
    }

    @Test(arguments: ["", "x", "-1", " 1", "4294967296"]) func aCallerThatIsNoNumberOfAUserIsNobody(text: String) {
        #expect(TrustedUsers.all(of: 0, ["SUDO_UID": text]) == [0])
    }
}
