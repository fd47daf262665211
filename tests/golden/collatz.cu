extern "C" __global__ void collatz(int *out, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        unsigned long long x = i + 1;
        int steps = 0;
        while (true) {
            if (x == 1) {
                break;
            }
            ++steps;
            if (x % 2 == 0) {
                x /= 2;
                continue;
            }
            x = x * 3 + 1;
        }
        int k = 0;
        do {
            {
                k += 2;
            }
            --k;
        } while (k < steps);
        out[i] = k;
    }
}
