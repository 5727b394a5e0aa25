// Notes which functions of a program run, each at its first call: in the program's memory, their first byte becomes a breakpoint, which
// goes when it is reached. scripts/support/start-order loads this into the program. x86-64 only.
// START_FUNCTIONS is a file with the functions' addresses in the program, sorted, in hexadecimal; those that ran are added to START_RAN.
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { BREAKPOINT = 0xCC, MOST = 1 << 20 };
static struct {
    unsigned address;
    unsigned char byte;
} functions[MOST];
static size_t count;
static unsigned char *program;
static int ran;

static void reached(int number, siginfo_t *info, void *state) {
    greg_t *next = &((ucontext_t *)state)->uc_mcontext.gregs[REG_RIP];
    unsigned char *byte = (unsigned char *)--*next;
    unsigned address = byte - program;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (functions[middle].address < address) low = middle + 1; else high = middle;
    }
    if (low == count || functions[low].address != address) abort();
    // Another thread may have come first.
    if (__atomic_exchange_n(byte, functions[low].byte, __ATOMIC_SEQ_CST) == BREAKPOINT) dprintf(ran, "%x\n", address);
}

static int open_code(struct dl_phdr_info *loaded, size_t size, void *context) {
    program = (unsigned char *)loaded->dlpi_addr;
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &loaded->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        unsigned char *page = program + (part->p_vaddr & ~4095UL);
        if (mprotect(page, program + part->p_vaddr + part->p_memsz - page, PROT_READ | PROT_WRITE | PROT_EXEC)) abort();
    }
    // The first is the program itself.
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    FILE *file = fopen(getenv("START_FUNCTIONS"), "r");
    ran = fcntl(open(getenv("START_RAN"), O_CREAT | O_APPEND | O_WRONLY, 0600), F_DUPFD_CLOEXEC, 500);
    if (!file || ran < 0) abort();
    while (count < MOST && fscanf(file, "%x", &functions[count].address) == 1) count++;
    fclose(file);
    dl_iterate_phdr(open_code, NULL);
    struct sigaction action = {.sa_sigaction = reached, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGTRAP, &action, NULL);
    for (size_t i = 0; i < count; i++) {
        unsigned char *byte = program + functions[i].address;
        functions[i].byte = *byte;
        *byte = BREAKPOINT;
    }
}
